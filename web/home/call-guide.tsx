import { Anchor, Group } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { NewKey } from "../keys/new-key.ts";
import { CodeBlock } from "../parts/code-block.tsx";
import { Message } from "../parts/message.tsx";
import { Section } from "../parts/section.tsx";
import { CodeSample } from "./code-sample.tsx";
import { chosenLanguage, exportCode, KEY_VARIABLE } from "./sample-call.ts";

/** The same call in five languages. It contains the key that was created on this page, while the page is open. */
export function CallGuide({ newKey, apiUrl }: { apiUrl: string; newKey: NewKey | null }) {
  const [language, setLanguage] = useState(chosenLanguage);
  const secret = newKey?.secret ?? null;
  return (
    <Section
      title="Call a tool"
      description={
        secret === null
          ? `The code reads your key from the environment variable ${KEY_VARIABLE}.`
          : undefined
      }
    >
      {newKey !== null ? (
        <NewKeyMessage label={newKey.label} />
      ) : (
        <CodeBlock code={exportCode(null)} language="shell" label="Set your API key" />
      )}
      <CodeSample apiUrl={apiUrl} secret={secret} language={language} onLanguage={setLanguage} />
      <Group gap="lg" mt="lg">
        <Anchor component={Link} to="/settings/api-keys">
          Manage API keys
        </Anchor>
        <Anchor component={Link} to="/tools">
          Try the tools in the browser
        </Anchor>
      </Group>
    </Section>
  );
}

const NewKeyMessage = ({ label }: { label: string }) => (
  <Message tone="ok">
    The code below contains your new key <strong>{label}</strong> until you close or reload this
    page, so store the key elsewhere.
  </Message>
);
