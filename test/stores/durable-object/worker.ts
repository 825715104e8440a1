/** A Worker that passes ledger operations to the object that a header names: the store itself, in workerd. */
import { AccountLedger as ObjectLedger } from "#stores/durable-object/account-object.ts";
import type { RequestLogStub, RequestOperation } from "#stores/durable-object/request-log-stub.ts";
import type { BatchStub, LedgerStub, MovingStub } from "#stores/durable-object/rpc.ts";
import { OBJECT_MIGRATIONS } from "#stores/durable-object/schema.ts";

type State = {
  storage: {
    getAlarm(): Promise<number | null>;
    setAlarm(at: number): Promise<void>;
    sql: { exec(query: string): { toArray(): Record<string, unknown>[] } };
  };
};

/** The object with access for tests to its alarm and its rows. */
export class AccountLedger extends ObjectLedger {
  readonly #storage: State["storage"];

  constructor(state: State, env: unknown) {
    const more = JSON.parse((env as { TEST_MIGRATIONS?: string }).TEST_MIGRATIONS ?? "[]");
    super(state as never, env, [...OBJECT_MIGRATIONS, ...more]);
    this.#storage = state.storage;
  }

  alarmAt(): Promise<number | null> {
    return this.#storage.getAlarm();
  }

  /** Sets the alarm, which the platform runs at its time. */
  wakeIn({ ms }: { ms: number }): Promise<void> {
    return this.#storage.setAlarm(Date.now() + ms);
  }

  /** Runs the alarm immediately, as the platform does when it retries one. */
  wake(): Promise<void> {
    return this.alarm();
  }

  countRows({ table }: { table: string }): number {
    const [row] = this.rows({ query: `SELECT count(*) AS count FROM ${table}` });
    return Number(row?.["count"]);
  }

  rows({ query }: { query: string }): Record<string, unknown>[] {
    return this.#storage.sql.exec(query).toArray();
  }
}

type TestAccess = Pick<AccountLedger, "alarmAt" | "wakeIn" | "wake" | "countRows" | "rows">;
type Stub = LedgerStub &
  BatchStub &
  MovingStub &
  RequestLogStub &
  Record<keyof TestAccess, (order: unknown) => Promise<unknown>>;
type Env = { LEDGER: { getByName(name: string): Stub } };

type Asked =
  | { name: Parameters<LedgerStub["perform"]>[0]; order: unknown }
  | { kind: Parameters<LedgerStub["call"]>[0]; order: unknown; callsPerSecond: number }
  | { requests: RequestOperation; order: unknown }
  | { method: keyof MovingStub | keyof BatchStub | keyof TestAccess; order: unknown };

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const asked = (await request.json()) as Asked;
    const stub = env.LEDGER.getByName(request.headers.get("x-test-object") ?? "");
    return Response.json((await ask(stub, asked)) ?? null);
  },
};

function ask(stub: Stub, asked: Asked): Promise<unknown> {
  if ("name" in asked) return stub.perform(asked.name, asked.order);
  if ("kind" in asked) return stub.call(asked.kind, asked.order, asked.callsPerSecond, false);
  if ("requests" in asked) return stub.requestLog(asked.requests, asked.order);
  return stub[asked.method](asked.order as never);
}
