import type { ServiceShown } from "#site/app-shell.ts";
import { type CallShown, shellQuote } from "#site/request-code.ts";

/** A call that runs as pasted. Its code reads the key from the environment if `secret` is null. */
export const sampleCall = (
  apiUrl: string,
  secret: string | null,
  { firstCall, keyVariable }: Pick<ServiceShown, "firstCall" | "keyVariable">,
): CallShown => {
  const { tool, request, ...traits } = firstCall;
  const url = `${apiUrl}/api/v1/${tool}`;
  return { url, body: request, secret, variable: keyVariable, ...traits };
};

/** The shell command that sets the variable of the key. */
export const exportCode = (
  secret: string | null,
  { keyVariable }: Pick<ServiceShown, "keyVariable">,
): string => `export ${keyVariable}=${shellQuote(secret ?? "paste-your-key-here")}`;
