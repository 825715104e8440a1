import { type CallShown, KEY_VARIABLE, shellQuote } from "#site/request-code.ts";

/** A call that runs as pasted. Its code reads the key from the environment if `secret` is null. */
export const sampleCall = (apiUrl: string, secret: string | null): CallShown => ({
  url: `${apiUrl}/api/v1/hash`,
  body: { text: "Hello, world!" },
  secret,
});

/** The shell command that sets the variable of the key. */
export const exportCode = (secret: string | null): string =>
  `export ${KEY_VARIABLE}=${shellQuote(secret ?? "paste-your-key-here")}`;
