import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type pg from "pg";
import { isSure, openFaulty, settled } from "./fixture.ts";

/**
 * A fault at each message of a debit, after which the server stays out of reach: whatever the ledger calls "not carried out" is not
 * in the database, and whatever it calls carried out is there once.
 */
type Fault = {
  name: string;
  /** Whether the server gets the message. */
  isSent: boolean;
  /** What the node gets in place of the response. */
  error(): Error;
};

const serverError = (code: string, severity: string) =>
  Object.assign(new Error("made to fail"), { code, severity });
const FAULTS: Fault[] = [
  {
    name: "is lost with its connection",
    isSent: false,
    error: () => new Error("Connection terminated"),
  },
  { name: "loses its response", isSent: true, error: () => new Error("Connection terminated") },
  { name: "times out", isSent: true, error: () => new Error("Query read timeout") },
  { name: "is stopped by a shutdown", isSent: true, error: () => serverError("57P01", "FATAL") },
  { name: "has no known outcome", isSent: true, error: () => serverError("40003", "ERROR") },
  // The severity is in the server's language, so only the end of the connection shows that this is fatal.
  { name: "ends its connection", isSent: true, error: () => serverError("XX000", "FATALE") },
];

type Done = (error: Error | undefined, result?: unknown) => void;
/** A message with copied rows has a callback. */
type Message = string | { text: string; callback?: Done };
type Query = (message: Message) => unknown;

async function failPlain(message: Message, fails: Fails, query: Query, fault: Fault) {
  if (!fails(typeof message === "string" ? message : message.text)) return query(message);
  if (fault.isSent) await query(message);
  throw fault.error();
}
type Fails = (text: string) => boolean;

function failCopy(message: Exclude<Message, string>, fails: Fails, query: Query, fault: Fault) {
  const { callback } = message;
  if (fails(message.text)) {
    message.callback = () => callback?.(fault.error());
    if (!fault.isSent) return message.callback(undefined);
  }
  return query(message);
}

/** Debits of the node meet the fault at the message with this text, and from then on no server. */
function failAt(pool: Awaited<ReturnType<typeof openFaulty>>["pool"], text: RegExp, fault: Fault) {
  let isGone = false;
  const connect = pool.connections.connect.bind(pool.connections) as () => Promise<pg.PoolClient>;
  const troubled = async () => {
    if (isGone) throw new Error("connect ECONNREFUSED");
    const client = await connect();
    const query = client.query.bind(client) as (message: Message) => unknown;
    const meetsFault = (sent: string) => {
      if (isGone) throw new Error("Connection terminated");
      isGone = text.test(sent);
      return isGone;
    };
    const failing = (message: Message) => {
      if (typeof message === "string" || message.callback === undefined)
        return failPlain(message, meetsFault, query, fault);
      return failCopy(message, meetsFault, query, fault);
    };
    return Object.assign(client, { query: failing });
  };
  Object.assign(pool.connections, { connect: troubled });
}

const STEPS = [
  { name: "the message that loads", text: /^BEGIN(?![\s\S]*COMMIT$)/, mayBeCommitted: false },
  { name: "the message that commits", text: /COMMIT$/, mayBeCommitted: true },
];

describe("a fault of the connection, and then no server", { concurrency: 4 }, () => {
  for (const step of STEPS) {
    for (const fault of FAULTS) {
      test(`${step.name} ${fault.name}`, async (t) => {
        const fixture = await openFaulty(t);
        const account = await fixture.account("Ada", { credits: 5 });
        failAt(fixture.pool, step.text, fault);
        const outcome = await settled(fixture.debit(account));
        const [row] = (await fixture.rows("SELECT count(*)::int AS debits FROM debit")) as [
          { debits: number },
        ];
        const what = String(outcome);
        assert.ok(outcome instanceof Error, what);
        assert.equal(isSure(outcome), !step.mayBeCommitted, what);
        if (isSure(outcome)) assert.equal(row.debits, 0, what);
        else assert.equal(row.debits, fault.isSent ? 1 : 0, what);
      });
    }
  }
});
