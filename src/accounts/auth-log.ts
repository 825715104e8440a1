import { APIError } from "better-auth/api";
import type { AuthOptions } from "./auth-options.ts";

/**
 * Messages that better-auth logs as errors although it only rejected a request. The client gets the reason in the response, and
 * the log must not contain text that clients choose. better-auth passes neither a code nor the request to its logger, so
 * its messages are all there is to recognise.
 */
const REJECTED_REQUEST =
  /^(?:Invalid |Missing or null Origin|Blocked cross-site|INVALID_CALLBACK_REQUEST|State |Failed to parse state|OAuth issuer mismatch|No callback URL|Provider not found|Unable to link account - untrusted|account_not_linked|signup_disabled|sign_up_closed|email_not_verified)/i;

/** The plugin for passkeys logs a response of a browser that is not valid in the same way as a database that failed. */
const PASSKEY_FAILED = /^Failed to verify (?:registration|authentication)/;
const IS_DATABASE_ERROR = /SQLITE|D1_/i;

const MESSAGE_CHARS_MAX = 200;
const CAUSE_CHARS_MAX = 2_000;

/** Logs an error of better-auth, cut to a length, unless it concerns only a rejected request. */
export function logAuthError({ logError }: AuthOptions, message: string, cause: unknown): void {
  const isClientError = cause instanceof APIError && cause.statusCode < 500;
  if (isClientError || REJECTED_REQUEST.test(message)) return;
  if (PASSKEY_FAILED.test(message) && !IS_DATABASE_ERROR.test(describe(cause) ?? "")) return;
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
