import { ApiError } from "#errors.ts";
import type { IdempotencyOrder, Replay } from "#ledger/port.ts";
import { IDEMPOTENCY_KEY_CHARS_MAX } from "#limits.ts";
import { idempotencyInProgress } from "./call-errors.ts";
import type { CallResponse, ToolJob } from "./run-tool.ts";

/**
 * Returns the `Idempotency-Key` of a request; null if it has none. The draft standard quotes the value, but most
 * clients send it bare, so a quoted value and its bare form are the same key.
 */
export function readIdempotencyKey(headers: Headers): string | null {
  const value = headers.get("idempotency-key");
  if (value === null) return null;
  const key = /^"(.*)"$/.exec(value)?.[1] ?? value;
  if (key.length >= 1 && key.length <= IDEMPOTENCY_KEY_CHARS_MAX && /^[\x21-\x7e]+$/.test(key))
    return key;
  const rule = `must be 1 to ${IDEMPOTENCY_KEY_CHARS_MAX} visible ASCII characters`;
  throw new ApiError(
    "invalid_request",
    `The header Idempotency-Key ${rule}; got ${key.length} characters.`,
    {
      errors: [{ header: "Idempotency-Key", detail: rule }],
    },
  );
}

/** The running calls on this node that have an idempotency key. A repeat of one of them gets 409. */
export function createRunning() {
  const running = new Set<string>();
  return {
    /** Returns a function that ends the claim. Throws `idempotency_in_progress` while the same call is running. */
    claim(account: string, tool: string, key: string): () => void {
      const name = `${account} ${tool} ${key}`;
      if (running.has(name)) {
        throw idempotencyInProgress();
      }
      running.add(name);
      return () => running.delete(name);
    },
  };
}

export function idempotencyOrder(
  key: string | null,
  response: CallResponse,
  receivedAt: number,
): IdempotencyOrder | null {
  if (key === null || response.fingerprint === null) return null;
  return { key, receivedAt, ...response.fingerprint };
}

/**
 * Returns the first call's response, byte for byte. Most tools have just computed it again; a tool that uses random
 * bytes or the time runs again with those of the first call.
 */
export async function repeatResponse(
  fresh: CallResponse,
  job: ToolJob,
  replay: Replay,
  run: (job: ToolJob) => Promise<CallResponse>,
): Promise<CallResponse> {
  if (fresh.fingerprint?.responseSha256 === replay.responseSha256) return fresh;
  const again = await run({ ...job, receivedAt: replay.receivedAt, random: replay.random });
  if (again.fingerprint?.responseSha256 === replay.responseSha256) return again;
  throw new ApiError(
    "idempotency_key_reused",
    "An earlier version of the service made the first response for this Idempotency-Key, and the current version cannot reproduce it. Send the call with a new key.",
  );
}
