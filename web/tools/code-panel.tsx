import { useState } from "react";
import {
  type CallShown,
  curlCode,
  fetchCode,
  goCode,
  KEY_VARIABLE,
  phpCode,
  pythonCode,
} from "#site/request-code.ts";
import type { ShownCall } from "./call-plan.ts";
import { CodeView } from "./code-view.tsx";
import { SECRET_PLACEHOLDER } from "./request-text.ts";
import { DownloadButton, Tabs } from "./ui.tsx";

type Language = "sh" | "js" | "python" | "go" | "php";
const LANGUAGES: readonly [Language, label: string, code: (call: CallShown) => string][] = [
  ["sh", "curl", curlCode],
  ["js", "JavaScript", fetchCode],
  ["python", "Python", pythonCode],
  ["go", "Go", goCode],
  ["php", "PHP", phpCode],
];

/** The call as code that can be pasted, in the language that the reader chose last, also in the documentation. */
export function CodePanel({ call: { call, fileContent, hasSecret } }: { call: ShownCall }) {
  const [language, setLanguage] = useState<Language>(storedLanguage);
  function choose(next: Language) {
    setLanguage(next);
    try {
      localStorage.setItem(STORAGE_KEY, next);
    } catch {
      // The choice holds until the page is closed.
    }
  }
  return (
    <>
      <Tabs
        label="Language"
        open={language}
        onOpen={choose}
        tabs={LANGUAGES.map(([name, label, write]) => ({
          name,
          label,
          content: () => <CodeView code={write(call)} label={label} />,
        }))}
      />
      <p className="play-help">
        Your API key is read from <code>{KEY_VARIABLE}</code>.
        {language === "sh" && " The command is for a Linux or macOS shell."}
      </p>
      {hasSecret && (
        <p className="play-help">
          Replace <code>{SECRET_PLACEHOLDER}</code>: your secret is left out, so that it does not
          end up in a shell’s history or in a repository.
        </p>
      )}
      {fileContent !== null && (
        <p className="play-help">
          The input is long, so the code reads it from <code>{fileContent.name}</code>.{" "}
          <DownloadButton
            content={fileContent.text}
            type="text/plain"
            file={fileContent.name}
            label="Download"
          />
        </p>
      )}
    </>
  );
}

/** The key of `web/front/language-tabs.ts`, so that the choice holds for the documentation too. */
const STORAGE_KEY = "toolbooth-docs-language";

function storedLanguage(): Language {
  try {
    const stored = localStorage.getItem(STORAGE_KEY);
    return LANGUAGES.find(([name]) => name === stored)?.[0] ?? "sh";
  } catch {
    return "sh";
  }
}
