import { CommandError } from "../command.ts";
import { cut } from "../text.ts";

/** Messages for errors between the command line and a remote service, which also say what to do. */

/** The account is not available until its import is complete; other accounts are. */
export class AccountBeingMoved extends CommandError {}

/** Resolves to the result, or to a message if the account's import is not complete. */
export async function unlessMoving<Result>(
  request: Promise<Result>,
): Promise<{ result: Result } | { moving: string }> {
  try {
    return { result: await request };
  } catch (error) {
    if (error instanceof AccountBeingMoved) return { moving: error.message };
    throw error;
  }
}

export type Problem = { code: string; detail: string };

const codeOf = (error: unknown): string => {
  const { code, cause, name } = error as { code?: unknown; cause?: unknown; name?: string };
  // The code of a DOMException is a number; its name says more.
  if (typeof code === "string") return code;
  return cause === undefined ? String(name) : codeOf(cause);
};

const UNREACHABLE = ["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH"];
const isTlsCode = (code: string) => /CERT|TLS|SSL|SELF_SIGNED|ISSUER|ERR_OSSL|EPROTO/.test(code);

/** Whether the URL itself is probably wrong, so that a retry would not help. */
export const isPermanent = (error: unknown) => {
  const code = codeOf(error);
  return UNREACHABLE.includes(code) || isTlsCode(code);
};

export function explainNoResponse(error: unknown, url: string): string {
  const code = codeOf(error);
  const { host } = new URL(url);
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return `The host ${host} cannot be resolved. Check the URL after --remote.`;
  if (UNREACHABLE.includes(code))
    return `Cannot connect to ${url} (${code}). Check the URL after --remote, and that the service is running.`;
  if (isTlsCode(code)) {
    return `The connection to ${url} is not secure (${code}), so the token was not sent. Check the certificate of ${host} and the URL.`;
  }
  if (code === "TimeoutError" || code === "UND_ERR_HEADERS_TIMEOUT")
    return `${url} did not respond in time, even after retries. Run the command again later; repeating it is safe.`;
  return `The connection to ${url} failed (${code}), even after retries. Run the command again later; repeating it is safe.`;
}

/** Explains a response that is not a success. `text` is its body, for responses that are not from the operator API. */
export function explainResponse(
  { status, headers }: Response,
  problem: Problem | null,
  url: string,
  text: string,
): string {
  if (status >= 300 && status < 400) {
    const target = URL.parse(headers.get("location") ?? "", url)?.origin ?? "another address";
    return `${url} redirects to ${target}. The command line sends the token only to the URL that you give. If that address is the service, use --remote ${target}.`;
  }
  switch (problem?.code) {
    case "wrong_token":
      return `${url} rejects this token. Set TOOLBOOTH_OPERATOR_TOKEN to a token from the same setting of the server or, at the edge, of the Worker toolbooth-site.`;
    case "not_found":
      return `${url} has no operator API. Check the URL, and set TOOLBOOTH_OPERATOR_TOKEN for the server or, at the edge, for the Worker toolbooth-site.`;
    case "unknown_operation":
      return explainVersion(url, problem.detail);
    case undefined:
      // A Worker with invalid settings responds with plain text.
      if (status === 503 && /^text\/plain/.test(headers.get("content-type") ?? "") && text !== "")
        return `${url} responded: ${printable(text)}`;
      return `The response from ${url} is not from Toolbooth's operator API (status ${status}). Check the URL after --remote, and that the service has the same version.`;
  }
  return `${problem?.detail ?? ""}`;
}

export const explainVersion = (url: string, detail: string): string =>
  `The service at ${url} has a different version than this command line: ${detail} Deploy this version, or use the command line of that version.`;

/** Removes control characters, because the text comes from an unknown server and goes to a terminal. */
const printable = (text: string) =>
  cut(text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim(), 400);
