import {
  curlCode,
  fetchCode,
  goCode,
  KEY_VARIABLE,
  phpCode,
  pythonCode,
  shellQuote,
} from "#site/request-code.ts";

/** Uses $TOOLBOOTH_KEY if `secret` is null. */
export type SampleCall = { apiUrl: string; secret: string | null };
export type Language = "curl" | "javascript" | "python" | "go" | "php";

export { KEY_VARIABLE };

/** `mark`: the language's name in the documentation, which remembers the same choice. `run`: what to do with the code. */
export const LANGUAGES = [
  { id: "curl", mark: "sh", title: "curl", run: "Paste this into a terminal." },
  {
    id: "javascript",
    mark: "js",
    title: "JavaScript",
    run: "Save this as call.mjs, then run: node call.mjs",
  },
  {
    id: "python",
    mark: "python",
    title: "Python",
    run: "Save this as call.py, then run: python3 call.py. It needs only Python 3.",
  },
  { id: "go", mark: "go", title: "Go", run: "Save this as call.go, then run: go run call.go" },
  { id: "php", mark: "php", title: "PHP", run: "Save this as call.php, then run: php call.php" },
] as const satisfies { id: Language; mark: string; title: string; run: string }[];

const WRITERS = {
  curl: curlCode,
  javascript: fetchCode,
  python: pythonCode,
  go: goCode,
  php: phpCode,
};
const BODY = { text: "Hello, world!" };

/** The code of a call that runs as pasted. */
export const sampleCallCode = (language: Language, { apiUrl, secret }: SampleCall): string =>
  WRITERS[language]({ url: `${apiUrl}/api/v1/hash`, body: BODY, secret });

/** The shell command that sets $TOOLBOOTH_KEY. */
export const exportCode = (secret: string | null): string =>
  `export ${KEY_VARIABLE}=${shellQuote(secret ?? "paste-your-key-here")}`;

/** Where the tabs of the documentation keep the chosen language (`web/front/language-tabs.ts`). */
const STORAGE_KEY = "toolbooth-docs-language";

/** The language that the user chose last, here or in the documentation. */
export function chosenLanguage(): Language {
  try {
    const stored = localStorage.getItem(STORAGE_KEY);
    return LANGUAGES.find(({ mark }) => mark === stored)?.id ?? "curl";
  } catch {
    return "curl"; // Storage is disabled.
  }
}

export function rememberLanguage(language: Language): void {
  const chosen = LANGUAGES.find(({ id }) => id === language);
  try {
    localStorage.setItem(STORAGE_KEY, chosen?.mark ?? "sh");
  } catch {
    // The choice holds until the page is closed.
  }
}
