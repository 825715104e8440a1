import { Tabs, Text } from "@mantine/core";
import { useState } from "react";
import {
  type CallShown,
  curlCode,
  fetchCode,
  goCode,
  phpCode,
  pythonCode,
} from "#site/request-code.ts";
import { CodeBlock } from "./code-block.tsx";

/** `id`: the language's name in the documentation, which remembers the same choice. `run`: what to do with the code. */
const LANGUAGES = [
  { id: "sh", title: "curl", write: curlCode, run: "Paste this into a Linux or macOS shell." },
  {
    ...{ id: "js", title: "JavaScript", write: fetchCode },
    run: "Save this as call.mjs, then run: node call.mjs",
  },
  {
    ...{ id: "python", title: "Python", write: pythonCode },
    run: "Save this as call.py, then run: python3 call.py. It needs only Python 3.",
  },
  {
    ...{ id: "go", title: "Go", write: goCode },
    run: "Save this as call.go, then run: go run call.go",
  },
  {
    ...{ id: "php", title: "PHP", write: phpCode },
    run: "Save this as call.php, then run: php call.php",
  },
] as const;
export type Language = (typeof LANGUAGES)[number]["id"];

/** Where the tabs of the documentation keep the chosen language (`web/front/language-tabs.ts`). */
const STORAGE_KEY = "tb-docs-language";

const find = (id: string | null) => LANGUAGES.find((language) => language.id === id);

/** The language that the user chose last, here or in the documentation. */
function storedLanguage(): Language {
  try {
    return find(localStorage.getItem(STORAGE_KEY))?.id ?? "sh";
  } catch {
    return "sh"; // Storage is disabled.
  }
}

/** The language of code, which is remembered, also for the documentation. */
export function useLanguage(): [Language, (language: Language) => void] {
  const [language, setLanguage] = useState(storedLanguage);
  const choose = (next: Language) => {
    setLanguage(next);
    try {
      localStorage.setItem(STORAGE_KEY, next);
    } catch {
      // The choice holds until the page is closed.
    }
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
      {LANGUAGES.map(({ id, title, write, run }) => (
        <Tabs.Panel key={id} value={id} pt="sm">
          <CodeBlock
            code={write(props.call)}
            label={title}
            isCopyable={props.isCopyable !== false}
          />
          <Text size="sm" c="dimmed" mt="xs">
            {run}
          </Text>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
