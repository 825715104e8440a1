import { ApiError } from "#errors.ts";
import type { IdempotencyOrder, Replay } from "#ledger/port.ts";
import { IDEMPOTENCY_KEY_CHARS_MAX } from "#limits.ts";
import type { CallResponse, ToolJob } from "./run-tool.ts";

/**
 * The `Idempotency-Key` of a request, null where it has none. The draft of the header writes it as a quoted string,
 * most clients send it bare: a quoted value and its bare form are one key.
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

/** Calls with an idempotency key that run on this node: a repeat that comes meanwhile is told to wait. */
export function createRunning() {
  const running = new Set<string>();
  return {
    /** Returns what ends the claim. Throws a Fault where the same call is still running. */
    claim(account: string, tool: string, key: string): () => void {
      const name = `${account} ${tool} ${key}`;
      if (running.has(name)) {
        throw new ApiError(
          "idempotency_in_progress",
          "The first request with this Idempotency-Key has not been answered yet.",
          { headers: { "Retry-After": "1" } },
        );
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
 * The first call's answer, byte for byte. Most tools have just computed it; one that draws random bytes or tells the
 * time runs again with what the first call was given.
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
    "The first answer to this Idempotency-Key was made by an earlier version of the service and cannot be made again. Send the call with a new key.",
  );
}
