/** A Worker that passes ledger operations to the object that a header names: the store itself, in workerd. */
import { AccountLedger as ObjectLedger } from "#stores/durable-object/account-object.ts";
import { createObjectDriver, type ObjectStorage } from "#stores/durable-object/driver.ts";
import type { RequestLogStub, RequestOperation } from "#stores/durable-object/request-log-stub.ts";
import type { BatchStub, LedgerStub, MovingStub } from "#stores/durable-object/rpc.ts";
import { OBJECT_MIGRATIONS } from "#stores/durable-object/schema.ts";
import type { Migration } from "#stores/schema/migrations.ts";
import type { SqlQuery } from "#stores/sql/sql-database.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import type { SqlRow } from "#stores/sqlite/driver.ts";

type State = { storage: ObjectStorage };

/** Which code and settings objects start with from now on; the Worker and its objects share an isolate here. */
let deployed: Deployment = { migrations: [], settings: {} };

/** `migrations`: those of another release, which follow this release's. `settings`: those of the Worker. */
export type Deployment = { migrations: readonly Migration[]; settings: Record<string, string> };

/** The object with access for tests to its alarm and its rows. */
export class AccountLedger extends ObjectLedger {
  readonly #storage: State["storage"];
  #isWoken = false;

  constructor(state: State, env: unknown) {
    const { migrations, settings } = deployed;
    super(state as never, { ...(env as object), ...settings }, [
      ...OBJECT_MIGRATIONS,
      ...migrations,
    ]);
    this.#storage = state.storage;
  }

  /**
   * Only in an object that a test woke: what an alarm does is due by the machine's clock, years after the time that most tests
   * are at.
   */
  override async alarm(): Promise<void> {
    if (this.#isWoken) await super.alarm();
  }

  alarmAt(): Promise<number | null> {
    return this.#storage.getAlarm();
  }

  /** Sets the alarm, which the platform runs at its time. */
  wakeIn({ ms }: { ms: number }): Promise<void> {
    this.#isWoken = true;
    return this.#storage.setAlarm(Date.now() + ms);
  }

  /** Runs the alarm immediately, as the platform does when it retries one. */
  wake(): Promise<void> {
    this.#isWoken = true;
    return this.alarm();
  }

  countRows({ table }: { table: string }): number {
    const [row] = this.rows({ query: `SELECT count(*) AS count FROM ${table}` });
    return Number(row?.["count"]);
  }

  batch(queries: readonly SqlQuery[]): Promise<SqlRow[][]> {
    return createSqliteDatabase(createObjectDriver(this.#storage)).batch(queries);
  }

  rows({ query }: { query: string }): Record<string, unknown>[] {
    return this.#storage.sql.exec(query).toArray();
  }
}

type TestAccess = Pick<
  AccountLedger,
  "alarmAt" | "wakeIn" | "wake" | "countRows" | "rows" | "batch"
>;
type Stub = LedgerStub &
  BatchStub &
  MovingStub &
  RequestLogStub &
  Record<keyof TestAccess, (order: unknown) => Promise<unknown>>;
type Env = { LEDGER: { getByName(name: string): Stub } };

type Asked =
  | { deploy: Deployment }
  | { name: Parameters<LedgerStub["perform"]>[0]; order: unknown }
  | { kind: Parameters<LedgerStub["call"]>[0]; order: unknown; callsPerSecond: number }
  | { requests: RequestOperation; order: unknown }
  | { moved: Parameters<MovingStub["move"]>[0]; order: unknown }
  | { method: keyof BatchStub | keyof TestAccess; order: unknown };

/** workerd has it; its types come with a package that we do without. */
declare const WebSocketPair: new () => { 0: unknown; 1: WebSocket & { accept(): void } };

/** Requests come through one WebSocket: as HTTP requests, most of the time would go into HTTP. */
export default {
  fetch(_: Request, env: Env): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    server.accept();
    server.addEventListener("message", ({ data }) => {
      const { id, object, asked } = JSON.parse(data) as {
        id: number;
        object: string;
        asked: Asked;
      };
      const send = (result: object) => server.send(JSON.stringify({ id, ...result }));
      respond(env.LEDGER.getByName(object), asked).then(
        (value) => send({ value: value ?? null }),
        (error) => send({ error: String(error) }),
      );
    });
    return new Response(null, { status: 101, webSocket: client } as ResponseInit);
  },
};

async function respond(stub: Stub, asked: Asked): Promise<unknown> {
  if ("deploy" in asked) deployed = asked.deploy;
  else return ask(stub, asked);
  return null;
}

function ask(stub: Stub, asked: Exclude<Asked, { deploy: Deployment }>): Promise<unknown> {
  if ("name" in asked) return stub.perform(asked.name, asked.order);
  if ("kind" in asked) return stub.call(asked.kind, asked.order, asked.callsPerSecond, false);
  if ("requests" in asked) return stub.requestLog(asked.requests, asked.order);
  if ("moved" in asked) return stub.move(asked.moved, asked.order);
  return stub[asked.method](asked.order as never);
}
