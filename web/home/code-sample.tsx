import { Tabs, Text } from "@mantine/core";
import { CodeBlock } from "../parts/code-block.tsx";
import { LANGUAGES, type Language, rememberLanguage, sampleCallCode } from "./sample-call.ts";

const SYNTAX = {
  curl: "shell",
  javascript: "javascript",
  python: "python",
  go: "go",
  php: "php",
} as const;

/** The same call in five languages. The choice is remembered, also for the documentation. */
export function CodeSample(props: {
  apiUrl: string;
  /** Null: the code reads the key from the environment. */
  secret: string | null;
  /** Whether `secret` is only a mask, so that the code cannot be used yet. */
  isMasked?: boolean;
  language: Language;
  onLanguage: (language: Language) => void;
}) {
  const { apiUrl, secret, language } = props;
  const choose = (value: string | null) => {
    const chosen = LANGUAGES.find(({ id }) => id === value);
    if (chosen === undefined) return;
    rememberLanguage(chosen.id);
    props.onLanguage(chosen.id);
  };
  return (
    <Tabs value={language} onChange={choose} className="tb-code-sample">
      <Tabs.List aria-label="Language">
        {LANGUAGES.map(({ id, title }) => (
          <Tabs.Tab key={id} value={id}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {LANGUAGES.map(({ id, title, run }) => (
        <Tabs.Panel key={id} value={id} pt="sm">
          <CodeBlock
            code={sampleCallCode(id, { apiUrl, secret })}
            language={SYNTAX[id]}
            label={`Sample call with ${title}`}
            isCopyable={props.isMasked !== true}
          />
          <Text size="sm" c="dimmed" mt="xs">
            {run}
          </Text>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
