import { ApiError } from "#errors.ts";
import type { IdempotencyOrder, Replay } from "#ledger/port.ts";
import { createRecentNames } from "#ledger/recent-names.ts";
import { IDEMPOTENCY_KEY_CHARS_MAX, REPLAYS_PER_MINUTE_MAX } from "#limits.ts";
import { idempotencyInProgress, tooManyReplays } from "./call-errors.ts";
import type { CallResponse, ToolJob } from "./run-tool.ts";

/**
 * Returns the key of an `Idempotency-Key` header; null if the header is malformed. The draft standard quotes the value,
 * but most clients send it bare, so a quoted value and its bare form are the same key.
 */
export function parseIdempotencyKey(header: string): string | null {
  const key = unquoted(header);
  const isKey = key.length <= IDEMPOTENCY_KEY_CHARS_MAX && /^[\x21-\x7e]+$/.test(key);
  return isKey ? key : null;
}

const unquoted = (header: string): string => /^"(.*)"$/.exec(header)?.[1] ?? header;

export function malformedIdempotencyKey(header: string): ApiError {
  const rule = `must be 1 to ${IDEMPOTENCY_KEY_CHARS_MAX} visible ASCII characters`;
  return new ApiError(
    "invalid_request",
    `The header Idempotency-Key ${rule}; got ${unquoted(header).length} characters.`,
    {
      errors: [{ header: "Idempotency-Key", detail: rule }],
    },
  );
}

/** A call with an idempotency key. */
export type Repeatable = { account: string; tool: string; key: string };
const nameOf = ({ account, tool, key }: Repeatable) => `${account} ${tool} ${key}`;

/** The running calls on this node that have an idempotency key. A repeat of one of them gets 409. */
export function createRunning() {
  const running = new Set<string>();
  return {
    /** Returns a function that ends the claim. Throws `idempotency_in_progress` while the same call is running. */
    claim(call: Repeatable): () => void {
      const name = nameOf(call);
      if (running.has(name)) {
        throw idempotencyInProgress();
      }
      running.add(name);
      return () => running.delete(name);
    },
  };
}

/**
 * Bounds the runs of a tool on large inputs that were not charged because of an idempotency key: replays, and calls that turn out
 * to be other requests than the first. Each node counts those that it made. The first one starts the minute.
 */
export function createReplays(elapsed: () => number) {
  const counts = createRecentNames<{ count: number; since: number }>();
  const countOf = (name: string) => {
    const counted = counts.get(name);
    return counted === undefined || elapsed() - counted.since >= MINUTE_MS ? undefined : counted;
  };
  return {
    /** Throws an ApiError `rate_limited` if the call was replayed too often. */
    check(call: Repeatable): void {
      const counted = countOf(nameOf(call));
      if (counted === undefined || counted.count < REPLAYS_PER_MINUTE_MAX) return;
      const leftMs = counted.since + MINUTE_MS - elapsed();
      throw tooManyReplays(Math.ceil(leftMs / 1_000));
    },
    add(call: Repeatable): void {
      const name = nameOf(call);
      const { count, since } = countOf(name) ?? { count: 0, since: elapsed() };
      counts.set(name, { count: count + 1, since });
    },
  };
}

const MINUTE_MS = 60_000;

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
