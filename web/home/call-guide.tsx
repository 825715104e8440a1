import { Anchor, Group, Tabs, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { NewKey } from "../keys/new-key.ts";
import { CodeBlock } from "../parts/code-block.tsx";
import { Message } from "../parts/message.tsx";
import { Section } from "../parts/section.tsx";
import { exportCode, KEY_VARIABLE, LANGUAGES, sampleCallCode } from "./sample-call.ts";

const SYNTAX = { curl: "shell", javascript: "javascript", python: "python" } as const;
const INSTRUCTIONS = {
  curl: "Paste this into a terminal.",
  javascript: "Save this as call.mjs, then run: node call.mjs",
  python: "Save this as call.py, then run: python3 call.py. It needs only Python 3.",
};

/** The same call in three languages. It contains the key that was created on this page, while the page is open. */
export function CallGuide(props: { apiUrl: string; newKey: NewKey | null; freeCall: boolean }) {
  const { newKey, apiUrl } = props;
  const secret = newKey?.secret ?? null;
  return (
    <Section
      title={props.freeCall ? "Your first call is free" : "Call a tool"}
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
      <Tabs defaultValue="curl" mt="md">
        <Tabs.List aria-label="Language">
          {LANGUAGES.map(({ id, title }) => (
            <Tabs.Tab key={id} value={id}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {LANGUAGES.map(({ id, title }) => (
          <Tabs.Panel key={id} value={id} pt="md">
            <CodeBlock
              code={sampleCallCode(id, { apiUrl, secret })}
              language={SYNTAX[id]}
              label={`Sample call with ${title}`}
            />
            <Text size="sm" c="dimmed" mt="xs">
              {INSTRUCTIONS[id]}
            </Text>
          </Tabs.Panel>
        ))}
      </Tabs>
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
