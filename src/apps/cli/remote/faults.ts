import { ProblemDetails } from "../command.ts";
import { cut } from "../text.ts";

/** What went wrong between here and a deployed service, each in a sentence that says what to do. */

/** An account whose import has not come to its end: others can be asked about all the same. */
export class AccountBeingMoved extends ProblemDetails {}

/** What is asked of an account, or why that cannot be said before its import has come to its end. */
export async function unlessMoved<Result>(
  asked: Promise<Result>,
): Promise<{ result: Result } | { moved: string }> {
  try {
    return { result: await asked };
  } catch (error) {
    if (error instanceof AccountBeingMoved) return { moved: error.message };
    throw error;
  }
}

export type Problem = { code: string; detail: string };

const codeOf = (error: unknown): string => {
  const { code, cause, name } = error as { code?: unknown; cause?: unknown; name?: string };
  // A DOMException has a number there, which says less than its name.
  if (typeof code === "string") return code;
  return cause === undefined ? String(name) : codeOf(cause);
};

const NO_SUCH_PLACE = ["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH"];
const isOfTls = (code: string) => /CERT|TLS|SSL|SELF_SIGNED|ISSUER|ERR_OSSL|EPROTO/.test(code);

/** No second try will mend it, as long as nothing was ever answered there. */
export const isHopeless = (error: unknown) => {
  const code = codeOf(error);
  return NO_SUCH_PLACE.includes(code) || isOfTls(code);
};

export function explainNoResponse(error: unknown, url: string): string {
  const code = codeOf(error);
  const { host } = new URL(url);
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return `There is no host ${host}, or no way to look it up. Check the address after --remote.`;
  if (NO_SUCH_PLACE.includes(code))
    return `Nothing listens at ${url} (${code}). Check the address after --remote.`;
  if (isOfTls(code)) {
    return `The connection to ${url} is not secure (${code}), so the token was not sent. Mend the certificate of ${host}, or check the address.`;
  }
  if (code === "TimeoutError" || code === "UND_ERR_HEADERS_TIMEOUT")
    return `${url} gave no answer in time, also when asked again. Try again later; what was begun may be repeated.`;
  return `The connection to ${url} broke off (${code}), also when tried again. Try again later; what was begun may be repeated.`;
}

/** `text`: the answer as it came, where it is no problem of the operator's door. */
export function explainResponse(
  { status, headers }: Response,
  problem: Problem | null,
  url: string,
  text: string,
): string {
  if (status >= 300 && status < 400) {
    const target = URL.parse(headers.get("location") ?? "", url)?.origin ?? "another address";
    return `${url} leads on to ${target}, and the token is sent to no address that was not named. If that is the service, name it: --remote ${target}.`;
  }
  switch (problem?.code) {
    case "wrong_token":
      return `${url} does not take this token. Set TOOLBOOTH_OPERATOR_TOKEN to one that the server was given under that name, or at the edge the Worker toolbooth-people.`;
    case "not_found":
      return `${url} has no operator's door. Give the Worker toolbooth-people, or on Node the server, the setting TOOLBOOTH_OPERATOR_TOKEN, and check that the address is that of the service.`;
    case "unknown_operation":
      return explainVersion(url, problem.detail);
    case undefined:
      // Said by a Worker whose settings are not right.
      if (status === 503 && /^text\/plain/.test(headers.get("content-type") ?? "") && text !== "")
        return `${url} says: ${plain(text)}`;
      return `What answers at ${url} is not the operator's door of Toolbooth (status ${status}). Check the address after --remote, and that the service is of this version.`;
  }
  return `${problem?.detail ?? ""}`;
}

export const explainVersion = (url: string, detail: string): string =>
  `The service at ${url} is of another version than this command line: ${detail} Deploy this version, or use the command line of that one.`;

/** What a stranger may have written, for a terminal. */
const plain = (text: string) => cut(text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim(), 400);
