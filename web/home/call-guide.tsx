import { Anchor, Group, Tabs, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { NewKey } from "../keys/new-key.ts";
import { CodeBlock } from "../parts/code-block.tsx";
import { Message } from "../parts/message.tsx";
import { Section } from "../parts/section.tsx";
import { exportCode, firstCallCode, KEY_VARIABLE, LANGUAGES } from "./sample-call.ts";

const SYNTAX = { curl: "shell", javascript: "javascript", python: "python" } as const;
const WHERE = {
  curl: "Paste it into a terminal.",
  javascript: "Save it as call.mjs and run it with Node: node call.mjs",
  python: "Save it as call.py and run it: python3 call.py. It needs nothing but Python 3.",
};

/** The same call three ways; with the key that was made on this page, as long as the page is open. */
export function CallGuide(props: { apiUrl: string; newKey: NewKey | null; freeCall: boolean }) {
  const { newKey, apiUrl } = props;
  const secret = newKey?.secret ?? null;
  return (
    <Section
      title={props.freeCall ? "Make your first call: it is free" : "Call a tool"}
      description={
        secret === null
          ? `The code reads your key from the environment variable ${KEY_VARIABLE}.`
          : undefined
      }
    >
      {newKey !== null ? (
        <NewKeyMessage label={newKey.label} />
      ) : (
        <CodeBlock code={exportCode(null)} language="shell" label="Tell your shell the key, once" />
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
              code={firstCallCode(id, { apiUrl, secret })}
              language={SYNTAX[id]}
              label={`A call with ${title}`}
            />
            <Text size="sm" c="dimmed" mt="xs">
              {WHERE[id]}
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
    The code contains your new key <strong>{label}</strong>. It does so only until you close or
    reload this page, so store the key elsewhere.
  </Message>
);
