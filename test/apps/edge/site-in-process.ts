import { registerHooks } from "node:module";
import { DatabaseSync } from "node:sqlite";
import type { ObjectStorage } from "#stores/durable-object/driver.ts";
import type { ObjectNamespace } from "#stores/durable-object/objects.ts";
import { D1_MIGRATIONS } from "#stores/schema/d1-migrations.ts";
import type { D1, D1Result, D1Statement } from "#stores/sql/d1-database.ts";
import type { SqlRow, SqlValue } from "#stores/sqlite/driver.ts";
import { readDisposableDomains } from "../../../src/apps/node/sign-up-lists.ts";
import type { RoundTrips } from "./round-trips.ts";

/**
 * The site Worker in this process: its own code and that of its Durable Objects, over SQLite in memory. Every request to D1 or to an
 * object is a round trip that the test counts and lets pass.
 */

const SECRET = "the secret of a service in a test";
export const BASE = "https://tools.example";

/** Work that Workers continue after a response. */
const pending = new Set<Promise<unknown>>();

/** What `cloudflare:workers` exports, as far as the Workers use it. */
class DurableObject {}
function waitUntil(work: Promise<unknown>): void {
  const settled = work.catch(() => {}).finally(() => pending.delete(settled));
  pending.add(settled);
}
const PLATFORM = `data:text/javascript,${encodeURIComponent(
  "export const { DurableObject, waitUntil } = globalThis.toolboothPlatform;",
)}`;

let isProvided = false;

/** Only Workers have the module, so this process gets one. */
export function providePlatform(): void {
  if (isProvided) return;
  isProvided = true;
  Object.assign(globalThis, { toolboothPlatform: { DurableObject, waitUntil } });
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "cloudflare:workers"
        ? { url: PLATFORM, format: "module", shortCircuit: true }
        : next(specifier, context),
  });
}

export type SiteInProcess = {
  fetch(request: Request): Promise<Response>;
  /** What the Worker does each minute. */
  cron(): Promise<void>;
  /** Resolves after the work that continues after a response. */
  settled(): Promise<void>;
  /** Rows of D1. */
  rows(sql: string): object[];
};

/** `changes`: bindings and settings that differ; undefined takes one away. */
export async function openSiteInProcess(
  trips: RoundTrips,
  changes: object = {},
): Promise<SiteInProcess> {
  providePlatform();
  const [{ default: worker, SignInThrottleObject }, { AccountLedger }] = await Promise.all([
    import("../../../src/apps/edge/site-worker.ts"),
    import("#stores/durable-object/account-object.ts"),
  ]);
  const database = new DatabaseSync(":memory:");
  database.exec("PRAGMA foreign_keys = ON");
  for (const { sql } of D1_MIGRATIONS) database.exec(sql);
  const env = {
    SECRET,
    PUBLIC_URL: BASE,
    MAIL_API_TOKEN: "re_of_a_test",
    MAIL_API_URL: "http://127.0.0.1:9/emails",
    MAIL_FROM: "post@tools.example",
    DB: createD1(database, trips),
    LEDGER: createObjects(
      "the account's object",
      trips,
      () => new AccountLedger({ storage: openStorage() }, {}),
    ),
    SIGN_IN: createObjects(
      "the sign-in throttle",
      trips,
      () => new SignInThrottleObject({ storage: openStorage() }, {}),
    ),
    ASSETS: { fetch: async (request: Request) => readAsset(new URL(request.url).pathname) },
    ...changes,
  };
  return {
    fetch: (request) => worker.fetch(request, env as never),
    cron: () => worker.scheduled({ scheduledTime: Date.now() }, env as never),
    async settled() {
      while (pending.size > 0) await Promise.all(pending);
    },
    rows: (sql) => database.prepare(sql).all(),
  };
}

function createD1(database: DatabaseSync, trips: RoundTrips): D1 {
  type Bound = D1Statement & { run(): D1Result };
  const state = (sql: string, values: SqlValue[]): Bound => ({
    bind: (...given) => state(sql, given as SqlValue[]),
    run() {
      const statement = database.prepare(sql);
      const results = statement.all(...values) as SqlRow[];
      const { changes } = database.prepare("SELECT changes() AS changes").get() as SqlRow;
      return { results, meta: { changes: Number(changes), rows_read: 0, rows_written: 0 } };
    },
  });
  return {
    prepare: (sql) => state(sql, []),
    batch: (statements) =>
      trips.take({ target: "D1", what: `a batch of ${statements.length}` }, () =>
        inTransaction(database, () => statements.map((each) => (each as Bound).run())),
      ),
  };
}

function inTransaction<Result>(database: DatabaseSync, body: () => Result): Result {
  database.exec("BEGIN");
  try {
    const result = body();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

/** The storage of one object. */
function openStorage(): ObjectStorage {
  const database = new DatabaseSync(":memory:");
  const total = database.prepare("SELECT total_changes() AS changes");
  const changes = () => Number((total.get() as SqlRow)["changes"]);
  let alarm: number | null = null;
  return {
    sql: {
      exec(query, ...values) {
        const before = changes();
        // A script of several statements has no values and no rows.
        const isScript = values.length === 0 && /;\s*\S/.test(query);
        if (isScript) database.exec(query);
        const rows = isScript ? [] : (database.prepare(query).all(...values) as SqlRow[]);
        return { toArray: () => rows, rowsRead: 0, rowsWritten: changes() - before };
      },
    },
    transactionSync: (body) => inTransaction(database, body),
    deleteAll: async () => {
      throw new Error("Nothing is imported here");
    },
    getAlarm: async () => alarm,
    setAlarm: async (at) => {
      alarm = at;
    },
  };
}

type Method = (...given: unknown[]) => unknown;

/** Objects by name, whose methods are round trips. */
function createObjects<Target extends object>(
  target: string,
  trips: RoundTrips,
  create: () => Target,
): ObjectNamespace<Target> {
  const objects = new Map<string, Target>();
  const namespace: ObjectNamespace<Target> = {
    // In one process there is one place.
    jurisdiction: () => namespace,
    getByName: (name) =>
      new Proxy({} as Target, {
        get:
          (_, method) =>
          (...given: unknown[]) =>
            trips.take({ target, what: `${String(method)} ${given[0]}` }, () => {
              const object = objects.get(name) ?? create();
              objects.set(name, object);
              return (Reflect.get(object, method) as Method).apply(object, given);
            }),
      }),
  };
  return namespace;
}

const ASSETS: Record<string, () => Uint8Array | string | Promise<string>> = {
  "/build/disposable-domains.json": async () => JSON.stringify(await readDisposableDomains()),
};

async function readAsset(name: string): Promise<Response> {
  const content = await (ASSETS[name] ?? (() => "{}"))();
  return new Response(content as string);
}
