import { APIError } from "better-auth/api";
import type { AuthOptions } from "./auth-options.ts";

/**
 * What better-auth calls an error is often only a request that it refused: its asker was told, and the log of the
 * service is no place for texts that strangers choose. What is left is ours, and is cut to a length.
 */
const PROBLEMS =
  /^(?:Invalid |Missing or null Origin|Blocked cross-site|INVALID_CALLBACK_REQUEST|State |Failed to parse state|OAuth issuer mismatch|No callback URL|Provider not found|Unable to link account - untrusted|account_not_linked|signup_disabled|sign_up_closed|email_not_verified)/i;

const MESSAGE_CHARS_MAX = 200;
const CAUSE_CHARS_MAX = 2_000;

export function logErrorOf({ logError }: AuthOptions, message: string, cause: unknown): void {
  const isProblem = cause instanceof APIError && cause.statusCode < 500;
  if (isProblem || PROBLEMS.test(message)) return;
  logError(`Sign-in: ${message.slice(0, MESSAGE_CHARS_MAX)}`, describe(cause));
}

function describe(cause: unknown): string | undefined {
  if (cause === undefined) return undefined;
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : textOf(cause);
  return text.slice(0, CAUSE_CHARS_MAX);
}

function textOf(cause: unknown): string {
  try {
    return JSON.stringify(cause) ?? String(cause);
  } catch {
    return String(cause);
  }
}
