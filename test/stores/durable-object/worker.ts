/** A Worker that passes ledger operations to the object that a header names: the store itself, in workerd. */
import { AccountLedger as ObjectLedger } from "#stores/durable-object/account-object.ts";
import { createObjectDriver, type ObjectStorage } from "#stores/durable-object/driver.ts";
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
  wakeIn(ms: number): Promise<void> {
    this.#isWoken = true;
    return this.#storage.setAlarm(Date.now() + ms);
  }

  /** Runs the alarm immediately, as the platform does when it retries one. */
  wake(): Promise<void> {
    this.#isWoken = true;
    return this.alarm();
  }

  countRows(table: string): number {
    const [row] = this.rows(`SELECT count(*) AS count FROM ${table}`);
    return Number(row?.["count"]);
  }

  batch(queries: readonly SqlQuery[]): Promise<SqlRow[][]> {
    return createSqliteDatabase(createObjectDriver(this.#storage)).batch(queries);
  }

  rows(query: string): Record<string, unknown>[] {
    return this.#storage.sql.exec(query).toArray();
  }
}

type Stub = Record<string, (...given: unknown[]) => Promise<unknown>>;
type Env = { LEDGER: { getByName(name: string): Stub } };

/** A deployment, or a method of the object with what it gets. */
export type Asked = { deploy: Deployment } | { method: string; given: unknown[] };

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
  if ("method" in asked) return stub[asked.method]?.(...asked.given);
  deployed = asked.deploy;
  return null;
}
