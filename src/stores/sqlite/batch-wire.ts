import type { DebitOrder, DebitOutcome } from "#ledger/port.ts";
import { LEDGER_BATCH_MAX } from "#limits.ts";
import { type BatchItem, type BatchResult, outcomeOf } from "./batch.ts";

/**
 * Batches in memory that two threads share. Almost all orders are plain debits (without an idempotency key), and almost all outcomes
 * are that the call was debited. Each of these is a record of fixed size in the memory. All others are JSON, in one text for each batch,
 * and the record only keeps their place. This file only writes and reads; `thread-client.ts` and `thread-server.ts` agree on when.
 *
 * The texts of a debit that many others repeat (account, key, tool, address) cross once, in the text of the batch that has them first.
 * Records then contain their numbers.
 */
export type Wire = {
  /** The state of each flight. Client and server set and read it with `Atomics`, so that each sees what the other wrote before. */
  states: Int32Array;
  ints: Int32Array;
  numbers: Float64Array;
  bytes: Uint8Array;
};

/** The batches that can be in the memory at once: each is written to a part of its own, a flight. They are sent in turn. */
export const FLIGHTS_MAX = 2;
export const nextFlight = (flight: number): number => (flight + 1) % FLIGHTS_MAX;
export const FLIGHT_IDLE = 0;
export const FLIGHT_SENT = 1;
/** The server carries out the batch. */
export const FLIGHT_BEGUN = 2;

/** What the server needs of a batch besides its records. Absent parts are empty. */
export type OrderText = {
  /** The server forgets the names that it has. */
  forgets?: true;
  /** Further names, which get the next numbers. */
  names?: string[];
  /** The orders that are not records. */
  items?: BatchItem[];
};

/** Where the parts of a record are, as indexes of `numbers`, which has eight bytes for each. `ints` has two indexes for one of these. */
const ORDER = { now: 3, credits: 4, freeCallCredits: 5 };
const ORDER_SIZE = 6;
/** Indexes of `ints` from the start of an order's record. */
const INTS = { callIdChars: 0, account: 1, keySha256: 2, tool: 3, address: 4 };
const OUTCOME = { kind: 0, charged: 1, balance: 2, keyNo: 3, callsPerSecond: 4 };
const OUTCOME_SIZE = 5;

/** A flight starts with two `ints`: the number of orders, and whether the batch has a text. Then comes how long the transaction took. */
const COUNT = 0;
const HAS_TEXT = 1;
const COMMIT_MS = 1;
const HEAD_SIZE = 2;
const OUTCOMES = HEAD_SIZE + LEDGER_BATCH_MAX * ORDER_SIZE;
/** The ids of the calls, with one byte for each character, next to each other: decoding them together costs a third. */
const CALL_IDS = OUTCOMES + LEDGER_BATCH_MAX * OUTCOME_SIZE;
const CALL_ID_CHARS_MAX = 40;
const FLIGHT_SIZE = CALL_IDS + (LEDGER_BATCH_MAX * CALL_ID_CHARS_MAX) / 8;
const STATES_SIZE = FLIGHTS_MAX / 2;

/** Creates memory for one client and the server. */
export const createWireMemory = () =>
  new SharedArrayBuffer(8 * (STATES_SIZE + FLIGHTS_MAX * FLIGHT_SIZE));

export const openWire = (memory: SharedArrayBuffer): Wire => ({
  states: new Int32Array(memory, 0, FLIGHTS_MAX),
  ints: new Int32Array(memory),
  numbers: new Float64Array(memory),
  bytes: new Uint8Array(memory),
});

const startOf = (flight: number): number => STATES_SIZE + flight * FLIGHT_SIZE;
/** As an index of `bytes`. */
const callIdsOf = (flight: number): number => 8 * (startOf(flight) + CALL_IDS);

/** In place of the length of a call's id: the order is in the text. */
const IN_TEXT = -1;
/** In place of the number of an address. */
const ABSENT = -1;
const NULL = -2;
/** Kinds of an outcome. */
const OTHER = 0;
const DEBITED = 1;
const DEBITED_WITH_RATE = 2;

/** About 3 MB on either side. When they are full, both sides forget them. */
export const NAMES_MAX = 16_384;
/** Longer texts are not names. Those of a valid order are shorter. */
const NAME_CHARS_MAX = 100;
const NAMES_AN_ORDER = 4;

/** Writes the orders of a batch. Returns its text, which the server must receive before; null if it has none. */
export function createOrderWriter(wire: Wire) {
  const { ints, numbers, bytes } = wire;
  const numberOf = new Map<string, number>();
  let text: OrderText = {};

  function name(value: string): number {
    const known = numberOf.get(value);
    if (known !== undefined) return known;
    const number = numberOf.size;
    numberOf.set(value, number);
    text.names ??= [];
    text.names.push(value);
    return number;
  }

  /** Returns false if the order cannot be a record. */
  function write([operation, order]: BatchItem, at: number, callIdAt: number): boolean {
    if (operation !== "debit" || !isPlain(order as DebitOrder)) return false;
    const { account, keySha256, callId, tool, address, now, credits, freeCallCredits } =
      order as DebitOrder;
    const length = writeCallId(bytes, callIdAt, callId);
    if (length === null) return false;
    const i = 2 * at;
    ints[i + INTS.callIdChars] = length;
    ints[i + INTS.account] = name(account);
    ints[i + INTS.keySha256] = name(keySha256);
    ints[i + INTS.tool] = name(tool);
    ints[i + INTS.address] =
      address === undefined ? ABSENT : address === null ? NULL : name(address);
    numbers[at + ORDER.now] = now;
    numbers[at + ORDER.credits] = credits;
    numbers[at + ORDER.freeCallCredits] = freeCallCredits;
    return true;
  }

  return (items: readonly BatchItem[], flight: number): OrderText | null => {
    text = {};
    const { length } = items;
    if (numberOf.size + NAMES_AN_ORDER * length > NAMES_MAX) {
      numberOf.clear();
      text.forgets = true;
    }
    const start = startOf(flight);
    for (let i = 0; i < length; i += 1) {
      const item = items[i] as BatchItem;
      const at = start + HEAD_SIZE + i * ORDER_SIZE;
      if (write(item, at, callIdsOf(flight) + i * CALL_ID_CHARS_MAX)) continue;
      ints[2 * at + INTS.callIdChars] = IN_TEXT;
      text.items ??= [];
      text.items.push(item);
    }
    const hasText = Object.keys(text).length > 0;
    ints[2 * start + COUNT] = length;
    ints[2 * start + HAS_TEXT] = hasText ? 1 : 0;
    return hasText ? text : null;
  };
}

function isPlain(order: DebitOrder): boolean {
  const { account, keySha256, tool, address, credits, freeCallCredits, now } = order;
  return (
    order.idempotency === null &&
    order.earliestNow === undefined &&
    order.namesKey === undefined &&
    isName(account) &&
    isName(keySha256) &&
    isName(tool) &&
    (address == null || isName(address)) &&
    typeof credits === "number" &&
    typeof freeCallCredits === "number" &&
    typeof now === "number"
  );
}

const isName = (value: unknown): boolean =>
  typeof value === "string" && value.length <= NAME_CHARS_MAX;

/** Writes one byte for each character. Returns their number; null if they do not fit. */
function writeCallId(bytes: Uint8Array, at: number, callId: string): number | null {
  if (typeof callId !== "string" || callId.length > CALL_ID_CHARS_MAX) return null;
  for (let i = 0; i < callId.length; i += 1) {
    const code = callId.charCodeAt(i);
    if (code > 0xff) return null;
    bytes[at + i] = code;
  }
  return callId.length;
}

/** Reads the orders of a batch. `takeText` returns the text of the next batch that has one. */
export function createOrderReader(wire: Wire, takeText: () => OrderText) {
  const { ints, numbers, bytes } = wire;
  const latin1 = Buffer.from(bytes.buffer);
  let names: string[] = [];
  const nameAt = (i: number): string => names[ints[i] as number] as string;

  function read(at: number, callIds: string, callIdAt: number): BatchItem | null {
    const i = 2 * at;
    const length = ints[i + INTS.callIdChars] as number;
    if (length === IN_TEXT) return null;
    const order: DebitOrder = {
      account: nameAt(i + INTS.account),
      keySha256: nameAt(i + INTS.keySha256),
      callId: callIds.slice(callIdAt, callIdAt + length),
      tool: nameAt(i + INTS.tool),
      credits: numbers[at + ORDER.credits] as number,
      freeCallCredits: numbers[at + ORDER.freeCallCredits] as number,
      now: numbers[at + ORDER.now] as number,
      idempotency: null,
    };
    const address = ints[i + INTS.address] as number;
    if (address === NULL) order.address = null;
    else if (address !== ABSENT) order.address = names[address] as string;
    return ["debit", order];
  }

  return (flight: number): BatchItem[] => {
    const start = startOf(flight);
    const text = ints[2 * start + HAS_TEXT] === 1 ? takeText() : {};
    if (text.forgets) names = [];
    for (const name of text.names ?? []) names.push(name);
    const others = text.items ?? [];
    let other = 0;
    const items: BatchItem[] = [];
    const count = ints[2 * start + COUNT] as number;
    const callIdsAt = callIdsOf(flight);
    const callIds = latin1.toString("latin1", callIdsAt, callIdsAt + count * CALL_ID_CHARS_MAX);
    for (let i = 0; i < count; i += 1) {
      const item = read(start + HEAD_SIZE + i * ORDER_SIZE, callIds, i * CALL_ID_CHARS_MAX);
      if (item !== null) items.push(item);
      else {
        items.push(others[other] as BatchItem);
        other += 1;
      }
    }
    return items;
  };
}

/** Writes the results of a batch. Returns those that are not records; null if there are none. */
export function createResultWriter({ numbers }: Wire) {
  function writeDebited(result: BatchResult, at: number): boolean {
    const outcome = ("value" in result ? result.value : null) as DebitOutcome | null;
    if (outcome?.outcome !== "debited" || outcome.keyId !== undefined) return false;
    const { charged, balance, keyRate } = outcome;
    numbers[at + OUTCOME.kind] = keyRate === undefined ? DEBITED : DEBITED_WITH_RATE;
    numbers[at + OUTCOME.charged] = charged;
    numbers[at + OUTCOME.balance] = balance;
    if (keyRate === undefined) return true;
    numbers[at + OUTCOME.keyNo] = keyRate.keyNo;
    numbers[at + OUTCOME.callsPerSecond] = keyRate.callsPerSecond;
    return true;
  }

  return (
    items: readonly BatchItem[],
    results: readonly BatchResult[],
    flight: number,
    commitMs: number,
  ): BatchResult[] | null => {
    const start = startOf(flight);
    let others: BatchResult[] | null = null;
    for (let i = 0; i < items.length; i += 1) {
      const [name] = items[i] as BatchItem;
      const result = results[i] as BatchResult;
      const at = start + OUTCOMES + i * OUTCOME_SIZE;
      if (name === "debit" && writeDebited(result, at)) continue;
      numbers[at + OUTCOME.kind] = OTHER;
      others ??= [];
      others.push(result);
    }
    numbers[start + COMMIT_MS] = commitMs;
    return others;
  };
}

/** Reads the outcomes of a batch, and how long its transaction took. `others`: what the writer returned. */
export function createOutcomeReader({ ints, numbers }: Wire) {
  function readDebited(kind: number, at: number): DebitOutcome {
    const charged = numbers[at + OUTCOME.charged] as number;
    const balance = numbers[at + OUTCOME.balance] as number;
    if (kind === DEBITED) return { outcome: "debited", charged, balance };
    const keyNo = numbers[at + OUTCOME.keyNo] as number;
    const callsPerSecond = numbers[at + OUTCOME.callsPerSecond] as number;
    return { outcome: "debited", charged, balance, keyRate: { keyNo, callsPerSecond } };
  }

  return (flight: number, others: readonly BatchResult[] | null) => {
    const start = startOf(flight);
    const outcomes: unknown[] = [];
    let other = 0;
    for (let i = 0; i < (ints[2 * start + COUNT] as number); i += 1) {
      const at = start + OUTCOMES + i * OUTCOME_SIZE;
      const kind = numbers[at + OUTCOME.kind] as number;
      if (kind !== OTHER) outcomes.push(readDebited(kind, at));
      else {
        outcomes.push(outcomeOf(others?.[other] as BatchResult));
        other += 1;
      }
    }
    return { outcomes, commitMs: numbers[start + COMMIT_MS] as number };
  };
}
