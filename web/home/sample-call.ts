import { curlCode, fetchCode, KEY_VARIABLE, pythonCode, shellQuote } from "#site/request-code.ts";

/** Uses $TOOLBOOTH_KEY if `secret` is null. */
export type SampleCall = { apiUrl: string; secret: string | null };
export type Language = "curl" | "javascript" | "python";

export { KEY_VARIABLE };
export const LANGUAGES: { id: Language; title: string }[] = [
  { id: "curl", title: "curl" },
  { id: "javascript", title: "JavaScript" },
  { id: "python", title: "Python" },
];

const WRITERS = { curl: curlCode, javascript: fetchCode, python: pythonCode };
const BODY = { text: "Hello, world!" };

/** The code of a call that runs as pasted. */
export const sampleCallCode = (language: Language, { apiUrl, secret }: SampleCall): string =>
  WRITERS[language]({ url: `${apiUrl}/api/v1/hash`, body: BODY, secret });

/** The shell command that sets $TOOLBOOTH_KEY. */
export const exportCode = (secret: string | null): string =>
  `export ${KEY_VARIABLE}=${shellQuote(secret ?? "paste-your-key-here")}`;
