import { ApiError } from "#errors.ts";
import type { Replay } from "#ledger/port.ts";
import { createRecentNames } from "#ledger/recent-names.ts";
import { IDEMPOTENCY_KEY_CHARS_MAX, REPLAYS_PER_MINUTE_MAX } from "#limits.ts";
import { idempotencyInProgress, tooManyReplays } from "./call-errors.ts";
import type { KeptResponse } from "./kept-responses.ts";
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
  const { length } = unquoted(header);
  const isLength = length === 0 || length > IDEMPOTENCY_KEY_CHARS_MAX;
  const found = isLength
    ? `got ${length} characters`
    : "it has a space or another character that is not visible ASCII";
  return new ApiError("invalid_request", `The header Idempotency-Key ${rule}; ${found}.`, {
    errors: [{ header: "Idempotency-Key", detail: rule }],
  });
}

/**
 * What a process remembers of calls with an idempotency key.
 *
 * A repeat of a call that is still running here gets 409. Runs of a tool on large inputs that were not charged because of a key
 * are bounded: replays, and calls that turn out to be other requests than the first. Each process counts those that it made;
 * the first one starts the minute.
 */
export class Repeats {
  readonly #running = new Set<string>();
  readonly #replays = createRecentNames<{ count: number; since: number }>();
  readonly #elapsed: () => number;

  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** The name of a call and of all its repeats. */
  nameOf(account: string, tool: string, key: string): string {
    return `${account} ${tool} ${key}`;
  }

  /** The call runs, until `end`. Throws `idempotency_in_progress` while another call with this name is running. */
  begin(name: string): void {
    if (this.#running.has(name)) throw idempotencyInProgress();
    this.#running.add(name);
  }

  end(name: string): void {
    this.#running.delete(name);
  }

  /** Throws an ApiError `rate_limited` if the call was replayed too often. */
  checkReplays(name: string): void {
    const counted = this.#replaysOf(name);
    if (counted === undefined || counted.count < REPLAYS_PER_MINUTE_MAX) return;
    const leftMs = counted.since + MINUTE_MS - this.#elapsed();
    throw tooManyReplays(Math.ceil(leftMs / 1_000));
  }

  countReplay(name: string): void {
    const { count, since } = this.#replaysOf(name) ?? { count: 0, since: this.#elapsed() };
    this.#replays.set(name, { count: count + 1, since });
  }

  #replaysOf(name: string) {
    const counted = this.#replays.get(name);
    const isOver = counted === undefined || this.#elapsed() - counted.since >= MINUTE_MS;
    return isOver ? undefined : counted;
  }
}

const MINUTE_MS = 60_000;

/**
 * Returns the first call's response, byte for byte. Most tools have just computed it again; a tool that uses random
 * bytes or the time runs again with those of the first call.
 */
export async function repeatResponse(
  fresh: CallResponse,
  replay: Replay,
  runAgain: (changes: Pick<ToolJob, "receivedAt" | "random">) => Promise<CallResponse>,
): Promise<CallResponse> {
  if (fresh.fingerprint?.responseSha256 === replay.responseSha256) return fresh;
  const again = await runAgain({ receivedAt: replay.receivedAt, random: replay.random });
  if (again.fingerprint?.responseSha256 === replay.responseSha256) return again;
  throw new ApiError(
    "idempotency_key_reused",
    "An earlier version of the service made the first response for this Idempotency-Key, and the current version cannot reproduce it. Send the call with a new Idempotency-Key.",
  );
}

/** The call repeats an earlier one, whose response is kept. */
export class Repeated extends Error {
  readonly response: KeptResponse;

  constructor(response: KeptResponse) {
    super("The call repeats an earlier one");
    this.response = response;
  }
}
