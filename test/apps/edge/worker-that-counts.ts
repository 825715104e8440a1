/** The API Worker with test access, whose objects count what the platform would bill. */
import type { ObjectStorage, SqlCursor } from "#stores/durable-object/driver.ts";
import type worker from "../../../src/apps/edge/api-worker.ts";
import { AccountLedger as Ledger } from "../../../src/apps/edge/api-worker.ts";
import testAccess from "./worker-with-test-access.ts";

/** `bytes`: the size of the database of the object that got the last request. */
export type Bill = {
  requests: number;
  read: number;
  written: number;
  alarms: number;
  wakings: number;
  bytes: number;
};

/** In this runtime the Worker and its objects share an isolate. */
let bill: Bill = emptyBill();

function emptyBill(): Bill {
  return { requests: 0, read: 0, written: 0, alarms: 0, wakings: 0, bytes: 0 };
}

type Exec = ObjectStorage["sql"]["exec"];
type Storage = ObjectStorage & { sql: { databaseSize: number } };
let isWatched = false;

/** Wraps the platform's own classes, so that objects need no changes. */
function watch(storage: Storage): void {
  if (isWatched) return;
  isWatched = true;
  const sql = Object.getPrototypeOf(storage.sql) as { exec: Exec };
  const exec = sql.exec;
  sql.exec = function (this: unknown, ...given: Parameters<Exec>) {
    const cursor = exec.apply(this as never, given);
    const toArray = cursor.toArray.bind(cursor);
    // A cursor has counted all rows only at its end.
    cursor.toArray = () => {
      const rows = toArray();
      count(cursor);
      return rows;
    };
    return cursor;
  };
  const own = Object.getPrototypeOf(storage) as ObjectStorage;
  const { setAlarm } = own;
  own.setAlarm = function (this: unknown, at: number) {
    bill.alarms += 1;
    return setAlarm.call(this as never, at);
  };
}

function count(cursor: SqlCursor): void {
  bill.read += cursor.rowsRead;
  bill.written += cursor.rowsWritten;
}

export class AccountLedger extends Ledger {
  readonly #storage: Storage;

  constructor(state: { storage: Storage }, env: unknown) {
    watch(state.storage);
    bill.wakings += 1;
    super(state as never, env);
    this.#storage = state.storage;
  }

  override perform(...given: Parameters<Ledger["perform"]>): ReturnType<Ledger["perform"]> {
    return this.#counted(super.perform(...given));
  }

  override call(...given: Parameters<Ledger["call"]>): ReturnType<Ledger["call"]> {
    return this.#counted(super.call(...given));
  }

  override requestLog(
    ...given: Parameters<Ledger["requestLog"]>
  ): ReturnType<Ledger["requestLog"]> {
    return this.#counted(super.requestLog(...given));
  }

  /** Frequent steps of tests, in one round trip. */
  async performEach(items: Parameters<Ledger["perform"]>[]): Promise<void> {
    for (const item of items) {
      const result = await super.perform(...item);
      if ("error" in result) throw new Error(result.error.message);
    }
  }

  /** The events that were not forwarded yet. Looking at them costs nothing. */
  eventsLeft(): number {
    const before = { ...bill };
    const [row] = this.#storage.sql.exec("SELECT count(*) AS count FROM event").toArray();
    bill = before;
    return Number(row?.["count"]);
  }

  /** What the alarm does. The platform reserves the name `alarm`. */
  wake(): Promise<void> {
    return super.alarm();
  }

  async #counted<Result>(result: Promise<Result>): Promise<Result> {
    bill.requests += 1;
    const value = await result;
    bill.bytes = this.#storage.sql.databaseSize;
    return value;
  }
}

type Env = Parameters<typeof worker.fetch>[1];

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/test/perform-all") {
      const { object, items } = (await request.json()) as { object: string; items: never };
      const stub = env.LEDGER.getByName(object) as unknown as AccountLedger;
      await stub.performEach(items);
      return new Response();
    }
    if (pathname === "/test/events") {
      const { object } = (await request.json()) as { object: string };
      const stub = env.LEDGER.getByName(object) as unknown as AccountLedger;
      return Response.json(await stub.eventsLeft());
    }
    if (pathname === "/test/wake") {
      const { object } = (await request.json()) as { object: string };
      await (env.LEDGER.getByName(object) as unknown as AccountLedger).wake();
      return new Response();
    }
    if (pathname !== "/test/bill") return testAccess.fetch(request, env);
    const result = bill;
    bill = emptyBill();
    return Response.json(result);
  },
};
