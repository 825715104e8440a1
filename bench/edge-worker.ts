import worker, { AccountLedger as Ledger } from "../src/apps/edge/api-worker.ts";

/**
 * The deployed Worker with a route for the benchmarks: PUT carries out orders in the objects of accounts, and counts the rows that
 * the platform would bill. `edge-server.ts` puts another checkout's Worker in the place of the import.
 */
type Orders = { object: string; name: string; order: unknown }[];
export type EdgeCommand = { perform: Orders } | { count: "start" | "read" };
export type RowCounts = { read: number; written: number };

type Cursor = { toArray(): unknown[]; rowsRead: number; rowsWritten: number };
type Sql = { exec(...given: unknown[]): Cursor };
type Storage = { sql: Sql; setAlarm(at: number): Promise<void> };

/** In this runtime a Worker and its objects share an isolate. */
let latest: Storage | undefined;
let rows: RowCounts | undefined;

export class AccountLedger extends Ledger {
  constructor(state: { storage: Storage }, env: unknown) {
    latest = state.storage;
    super(state as never, env);
  }
}

/** Wraps the platform's own classes, so that objects need no changes. An alarm is billed as a row written. */
function startCounting(storage: Storage): void {
  const counts = { read: 0, written: 0 };
  const isWrapped = rows !== undefined;
  rows = counts;
  if (isWrapped) return;
  const sql = Object.getPrototypeOf(storage.sql) as Sql;
  const { exec } = sql;
  sql.exec = function (...given) {
    const cursor = exec.apply(this, given);
    const toArray = cursor.toArray.bind(cursor);
    cursor.toArray = () => {
      const all = toArray();
      // A cursor has counted all rows only at its end.
      if (rows !== undefined) {
        rows.read += cursor.rowsRead;
        rows.written += cursor.rowsWritten;
      }
      return all;
    };
    return cursor;
  };
  const own = Object.getPrototypeOf(storage) as Storage;
  const { setAlarm } = own;
  own.setAlarm = function (at) {
    if (rows !== undefined) rows.written += 1;
    return setAlarm.call(this, at);
  };
}

type Stub = { perform(name: string, order: unknown): Promise<object> };

async function carryOut(command: EdgeCommand, env: { LEDGER: unknown }): Promise<unknown> {
  if ("count" in command) {
    if (command.count === "start" && latest !== undefined) startCounting(latest);
    return rows ?? null;
  }
  const objects = env.LEDGER as { getByName(name: string): Stub };
  return Promise.all(
    command.perform.map(({ object, name, order }) =>
      objects.getByName(object).perform(name, order),
    ),
  );
}

export default {
  async fetch(request: Request, env: Parameters<typeof worker.fetch>[1]): Promise<Response> {
    if (request.method !== "PUT") return worker.fetch(request, env);
    return Response.json(await carryOut((await request.json()) as EdgeCommand, env));
  },
};
