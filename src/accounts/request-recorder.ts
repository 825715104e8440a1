import type { FieldError } from "#errors.ts";
import type { RequestChunk, RequestEntry } from "./request-log.ts";

/**
 * Gathers the calls of a node or an isolate and hands them over to the request log in chunks of one account, because a chunk costs the
 * log about as much as ten calls, and at the edge a request and a row. A call only adds to memory, which is bounded; nothing here waits
 * for the log or fails with it. What the log cannot take is dropped and counted.
 */
export type RequestRecorder = {
  record(account: string, entry: RequestEntry): void;
  /** Hands over everything that waits, once, and resolves when the log has responded. */
  drain(): Promise<void>;
};

/** What became of a chunk. `again`: certainly nothing of it is in the log. A call twice in the log is worse than one that it lacks. */
export type Handed = "logged" | "again" | "lost";

export type RecorderOptions = {
  /** Writes chunks, and returns what became of each. Never rejects. */
  write(chunks: readonly RequestChunk[]): Promise<readonly Handed[]>;
  wait(ms: number): Promise<void>;
  /** On Workers: keeps work of the current request alive after its response. */
  waitUntil?(work: Promise<void>): void;
  /** A clock in milliseconds, monotonic where there is one. */
  elapsed(): number;
  /** Called with the number of calls that will not be in the log, after a write. */
  onLost(count: number): void;
  bounds: RecorderBounds;
};

export type RecorderBounds = {
  /** Characters of entries that may be held. */
  held: number;
  /** Calls in a chunk. A search reads whole chunks, so they are small. */
  chunk: number;
  /** While fewer accounts than this are waiting, a busy one waits no longer than the others. */
  quickAccounts: number;
  /** Attempts to write a chunk, a second apart. */
  tries: number;
  /** When a write counts as ended by the platform. */
  endedMs: number;
};

/** About 40,000 calls, fewer where they are errors. */
export const NODE_RECORDER: RecorderBounds = {
  ...{ held: 10_000_000, chunk: 250, quickAccounts: 100, tries: 30 },
  endedMs: Number.POSITIVE_INFINITY,
};
/** The platform ends work 30 s after a response, without a word to the code that waits. */
export const WORKER_RECORDER: RecorderBounds = {
  ...{ held: 2_000_000, chunk: 100, quickAccounts: 0, tries: 3, endedMs: 60_000 },
};

const WAIT_MS = 1_000;
/** For an account that had a chunk lately. */
const BUSY_WAIT_MS = 10_000;
/** Timers may ring early, and chunks of one second are written together. */
const STEP_MS = 1_000;
/** Some milliseconds of the log's thread, which serves pages in between. */
const CHUNKS_A_WRITE = 200;
/** A chunk that is due for this long was to be written by a request that the platform has ended. */
const OVERDUE_MS = 5_000;

type Waiting = { chunk: RequestChunk; dueAt: number };
type Batch = { calls: number; size: number; endedAt: number };

export function createRequestRecorder(options: RecorderOptions): RequestRecorder {
  const { write, wait, waitUntil = () => {}, elapsed, onLost, bounds } = options;
  /** The chunk of each account that takes more of its calls, oldest first. */
  const open = new Map<string, Waiting>();
  const batches = new Set<Batch>();
  /** Characters in each of them. */
  const held = { open: 0, batches: 0 };
  const busy = createBusyAccounts(elapsed);
  const deliveries = new Set<Promise<void>>();
  let lost = 0;
  let isStopping = false;

  const isFull = () => held.open + held.batches >= bounds.held;

  function startWaiting(account: string, at: number): Waiting {
    const ms = busy.has(account) && open.size >= bounds.quickAccounts ? BUSY_WAIT_MS : WAIT_MS;
    const dueAt = Math.ceil((elapsed() + ms) / STEP_MS) * STEP_MS;
    const waiting = { chunk: startChunk(account, at), dueAt };
    open.set(account, waiting);
    flushAfter(dueAt - elapsed());
    return waiting;
  }

  const flushAfter = (ms: number) =>
    waitUntil(wait(ms).then(() => flush(({ dueAt }) => dueAt <= elapsed() + STEP_MS / 2)));

  /** Hands over these chunks together. */
  function flush(isDue: (waiting: Waiting) => boolean): Promise<void> {
    const chunks: RequestChunk[] = [];
    for (const [account, waiting] of open) {
      if (!isDue(waiting)) continue;
      open.delete(account);
      busy.add(account);
      chunks.push(waiting.chunk);
    }
    const delivery = chunks.length === 0 ? Promise.resolve() : deliver(chunks);
    deliveries.add(delivery);
    return delivery.finally(() => deliveries.delete(delivery));
  }

  async function deliver(chunks: readonly RequestChunk[]): Promise<void> {
    const size = chunks.reduce((sum, { packed }) => sum + packed.length, 0);
    const batch: Batch = { calls: callsIn(chunks), size, endedAt: elapsed() + bounds.endedMs };
    batches.add(batch);
    held.open -= size;
    held.batches += size;
    // The response leaves first.
    await wait(0);
    let left = chunks;
    for (let tries = 1; ; tries += 1) {
      const written = left;
      const outcomes = await writeInSlices(written);
      lost += callsIn(written.filter((_, at) => outcomes[at] === "lost"));
      left = written.filter((_, at) => outcomes[at] === "again");
      if (left.length === 0 || tries === bounds.tries || isStopping) break;
      await wait(STEP_MS);
    }
    finish(batch, callsIn(left));
    if (lost > 0) onLost(lost);
    lost = 0;
  }

  async function writeInSlices(chunks: readonly RequestChunk[]): Promise<Handed[]> {
    const outcomes: Handed[] = [];
    for (let at = 0; at < chunks.length; at += CHUNKS_A_WRITE)
      outcomes.push(...(await write(chunks.slice(at, at + CHUNKS_A_WRITE))));
    return outcomes;
  }

  function finish(batch: Batch, lostCalls: number): void {
    if (!batches.delete(batch)) return;
    held.batches -= batch.size;
    lost += lostCalls;
  }

  /** Batches whose writing the platform has ended would otherwise count for ever. */
  function forgetEnded(): void {
    for (const batch of batches) if (batch.endedAt < elapsed()) finish(batch, batch.calls);
  }

  return {
    record(account, entry) {
      if (isFull()) forgetEnded();
      if (isFull()) {
        lost += 1;
        return;
      }
      const waiting = open.get(account) ?? startWaiting(account, entry.at);
      held.open += addToChunk(waiting.chunk, entry);
      if (waiting.chunk.count >= bounds.chunk) waitUntil(flush((each) => each === waiting));
      // Of many accounts with few calls each.
      else if (held.open > bounds.held / 2) waitUntil(flush(() => true));
      const [oldest] = open.values();
      if (oldest !== undefined && oldest.dueAt + OVERDUE_MS < elapsed()) flushAfter(0);
    },
    async drain() {
      isStopping = true;
      void flush(() => true);
      await Promise.all(deliveries);
    },
  };
}

const callsIn = (chunks: readonly RequestChunk[]) =>
  chunks.reduce((sum, { count }) => sum + count, 0);

/** The accounts that had a chunk in the last 10 to 20 seconds. */
function createBusyAccounts(elapsed: () => number) {
  let recent = new Set<string>();
  let before = recent;
  let since = Number.NEGATIVE_INFINITY;
  function turn(): void {
    const age = elapsed() - since;
    if (age < BUSY_WAIT_MS) return;
    before = age < 2 * BUSY_WAIT_MS ? recent : new Set();
    recent = new Set();
    since = elapsed();
  }
  return {
    add(account: string): void {
      turn();
      recent.add(account);
    },
    has(account: string): boolean {
      turn();
      return recent.has(account) || before.has(account);
    },
  };
}

/** `at`: the time of its first request. */
export const startChunk = (account: string, at: number): RequestChunk => ({
  ...{ account, firstAt: at, lastAt: at, count: 0, errors: 0 },
  tools: [],
  packed: "",
});

/** Returns by how many characters the chunk has grown. */
export function addToChunk(chunk: RequestChunk, entry: RequestEntry): number {
  const { at, tool, status } = entry;
  const added = chunk.count === 0 ? packRequest(entry) : `,${packRequest(entry)}`;
  chunk.packed += added;
  const isError = status >= 400 ? 1 : 0;
  addTool(chunk, tool, isError);
  chunk.count += 1;
  chunk.errors += isError;
  // Requests are recorded in the order of their responses.
  if (at > chunk.lastAt) chunk.lastAt = at;
  else if (at < chunk.firstAt) chunk.firstAt = at;
  return added.length;
}

/** There are few tools, so a list is faster than a map. */
function addTool({ tools }: RequestChunk, tool: string, isError: number): void {
  for (const each of tools) {
    if (each.tool !== tool) continue;
    each.count += 1;
    each.errors += isError;
    return;
  }
  tools.push({ tool, count: 1, errors: isError });
}

/**
 * Writes an entry as a JSON array without member names. By hand, because it runs for every call: no value but those of an error needs
 * escaping, because ids and codes come from this code or were validated on arrival.
 */
export function packRequest(entry: RequestEntry): string {
  const { times, bytes } = entry;
  return (
    `[${entry.at},"${entry.id}","${entry.tool}",${entry.status},${text(entry.code)},"${entry.key}",${entry.via === "mcp" ? 1 : 0},` +
    `${entry.charged},${entry.replayed ? 1 : 0},${hundredths(times.total)},${hundredths(times.body)},${hundredths(times.tool)},` +
    `${hundredths(times.ledger)},${bytes.received},${bytes.sent},${text(entry.address)}${packProblem(entry)}]`
  );
}

/** A call that succeeded takes no room for it. */
const packProblem = ({ detail, errors }: RequestEntry): string =>
  detail === null ? "" : `,${JSON.stringify(detail)},${JSON.stringify(errors)}`;

const text = (value: string | null) => (value === null ? "null" : `"${value}"`);
/** V8 takes several times as long to format a fraction. */
const hundredths = (ms: number | null) => (ms === null ? null : Math.round(ms * 100));

/** What `packRequest` wrote. */
type Packed = [
  at: number,
  id: string,
  tool: string,
  status: number,
  code: string | null,
  key: string,
  isMcp: 0 | 1,
  charged: number | null,
  replayed: 0 | 1,
  total: number,
  body: number | null,
  toolTime: number | null,
  ledger: number | null,
  received: number | null,
  sent: number | null,
  address: string | null,
  detail?: string | null,
  errors?: readonly FieldError[] | null,
];

/** Reads the entries of a chunk. */
export const unpackRequests = (packed: string): RequestEntry[] =>
  (JSON.parse(`[${packed}]`) as Packed[]).map(unpack);

function unpack(packed: Packed): RequestEntry {
  const [at, id, tool, status, code, key, isMcp, charged, replayed, ...rest] = packed;
  const [total, body, ofTool, ledger, received, sent, address, detail = null, errors = null] = rest;
  return {
    ...{ id, at, tool, status, code, key, charged, address, detail, errors },
    via: isMcp === 1 ? "mcp" : "http",
    replayed: replayed === 1,
    times: { total: total / 100, body: inMs(body), tool: inMs(ofTool), ledger: inMs(ledger) },
    bytes: { received, sent },
  };
}

const inMs = (value: number | null) => (value === null ? null : value / 100);
