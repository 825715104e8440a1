import { curlCode, fetchCode, KEY_VARIABLE, pythonCode, shellQuote } from "#site/request-code.ts";

/** One call in three languages, each of which runs as pasted: with the key itself, or with $TOOLBOOTH_KEY. */
export type FirstCall = { apiUrl: string; secret: string | null };
export type Language = "curl" | "javascript" | "python";

export { KEY_VARIABLE };
export const LANGUAGES: { id: Language; title: string }[] = [
  { id: "curl", title: "curl" },
  { id: "javascript", title: "JavaScript" },
  { id: "python", title: "Python" },
];

const WRITERS = { curl: curlCode, javascript: fetchCode, python: pythonCode };
const BODY = { text: "Hello, world!" };

export const firstCallCode = (language: Language, { apiUrl, secret }: FirstCall): string =>
  WRITERS[language]({ url: `${apiUrl}/api/v1/hash`, body: BODY, secret });

/** How a shell is told the key, once, so that the code that reads $TOOLBOOTH_KEY runs. */
export const exportCode = (secret: string | null): string =>
  `export ${KEY_VARIABLE}=${shellQuote(secret ?? "paste-your-key-here")}`;
