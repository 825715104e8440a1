import { Tabs, Text } from "@mantine/core";
import { useState } from "react";
import { type CallShown, LANGUAGES } from "#site/request-code.ts";
import { LANGUAGE_KEY, readStored, store } from "../shell/storage.ts";
import { CodeBlock } from "./code-block.tsx";

export type Language = (typeof LANGUAGES)[number]["id"];

/** What to do with the code. */
const RUN: Record<Language, string> = {
  sh: "Paste this into a Linux or macOS shell.",
  js: "Save this as call.mjs, then run: node call.mjs",
  python: "Save this as call.py, then run: python3 call.py. It needs only Python 3.",
  go: "Save this as call.go, then run: go run call.go",
  php: "Save this as call.php, then run: php call.php",
};

const find = (id: string | null) => LANGUAGES.find((language) => language.id === id);

/** The language of code: the one that the user chose last, here or in the documentation. */
export function useLanguage(): [Language, (language: Language) => void] {
  const [language, setLanguage] = useState(() => find(readStored(LANGUAGE_KEY))?.id ?? "sh");
  const choose = (next: Language) => {
    setLanguage(next);
    store(LANGUAGE_KEY, next);
  };
  return [language, choose];
}

export const codeOf = (language: Language, call: CallShown): string =>
  (find(language) ?? LANGUAGES[0]).write(call);

/** The same call in five languages. */
export function LanguageTabs(props: {
  call: CallShown;
  language: Language;
  onLanguage: (language: Language) => void;
  /** False for code that would not work yet. */
  isCopyable?: boolean;
}) {
  return (
    <Tabs
      value={props.language}
      onChange={(id) => props.onLanguage(find(id)?.id ?? "sh")}
      className="tb-code-sample"
    >
      <Tabs.List aria-label="Language">
        {LANGUAGES.map(({ id, title }) => (
          <Tabs.Tab key={id} value={id}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {LANGUAGES.map(({ id, title, write }) => (
        <Tabs.Panel key={id} value={id} pt="sm">
          <CodeBlock
            code={write(props.call)}
            label={title}
            isCopyable={props.isCopyable !== false}
          />
          <Text size="sm" c="dimmed" mt="xs">
            {RUN[id]}
          </Text>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
