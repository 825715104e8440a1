/**
 * D1 in workerd, for tests that run in Node: a Worker with bindings takes statements as JSON. It starts once per test
 * file; each scene has its own database with our tables.
 */
import { after } from "node:test";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { D1_MIGRATIONS, type D1Migration } from "#stores/schema/d1-migrations.ts";
import type { D1, D1Result, D1Statement } from "#stores/sql/d1-database.ts";
import type { SqlRow } from "#stores/sqlite/driver.ts";
import { openSocketCalls } from "../../support/socket-calls.ts";
import { COMPATIBILITY_DATE } from "../../support/wrangler-config.ts";

const DATABASES_MAX = 100;
const names = Array.from({ length: DATABASES_MAX }, (_, index) => `DB${index}`);
let running: ReturnType<typeof start> | undefined;
let opened = 0;

after(async () => (await running)?.close());

const WORKER = `export default { fetch(request, env) {
  const [socket, ours] = Object.values(new WebSocketPair());
  ours.accept();
  ours.addEventListener("message", async ({ data }) => {
    const { id, name, queries } = JSON.parse(data);
    const statements = queries.map(({ sql, values }) => env[name].prepare(sql).bind(...values));
    try {
      const one = statements.length === 1;
      const results = one ? [await statements[0].all()] : await env[name].batch(statements);
      ours.send(JSON.stringify({ id, value: results }));
    } catch (error) {
      ours.send(JSON.stringify({ id, error: error.message }));
    }
  });
  return new Response(null, { status: 101, webSocket: socket });
} }`;

async function start() {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: [{ type: "ESModule", path: "worker.mjs", contents: WORKER }],
      compatibilityDate: COMPATIBILITY_DATE,
      d1Databases: Object.fromEntries(names.map((name) => [name, name])),
      host: "127.0.0.1",
      cf: false,
      // Without the simulator's own Worker in front.
      unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
    }),
  );
  await miniflare.ready;
  const { call, close } = await openSocketCalls((await miniflare.unsafeGetDirectURL()).origin);
  return {
    send: (name: string, queries: Query[]) => call({ name, queries }) as Promise<D1Result[]>,
    async close() {
      close();
      await miniflare.dispose();
    },
  };
}

type Query = { sql: string; values: unknown[] };
type Told = D1Statement & Query;

/** An empty database with our tables; `rows` lets a test read and write rows directly. */
export function openD1(migrations: readonly D1Migration[] = D1_MIGRATIONS) {
  running ??= start();
  const name = names[opened];
  opened += 1;
  if (name === undefined) throw new Error(`A test file opens at most ${DATABASES_MAX} databases`);
  const send = async (queries: Query[]): Promise<D1Result[]> => {
    const { send } = await (running as ReturnType<typeof start>);
    return send(name, queries);
  };
  let migrated: Promise<unknown> | undefined;
  const ask = async (queries: Query[]): Promise<D1Result[]> => {
    migrated ??= send(statementsOf(migrations).map((sql) => ({ sql, values: [] })));
    await migrated;
    return send(queries);
  };
  const state = (sql: string, values: unknown[]): Told => ({
    sql,
    values,
    bind: (...given) => state(sql, given),
  });
  const d1: D1 = {
    prepare: (sql) => state(sql, []),
    batch: (statements) => ask(statements.map((each) => ({ ...(each as Told) }))),
  };
  const rows = async (sql: string, ...values: unknown[]): Promise<SqlRow[]> =>
    (await d1.batch([d1.prepare(sql).bind(...values)]))[0]?.results ?? [];
  return { d1, rows };
}

/** A statement ends with its line. */
export const statementsOf = (migrations: readonly D1Migration[]): string[] =>
  migrations.flatMap(({ sql }) => sql.split(/(?<=;)\n/).filter((text) => text !== ""));

export const MIGRATIONS = statementsOf(D1_MIGRATIONS);

/** Creates our tables in a D1 binding, as Wrangler does from files. */
export const applyMigrations = (d1: Pick<D1, "prepare" | "batch">): Promise<D1Result[]> =>
  d1.batch(MIGRATIONS.map((sql) => d1.prepare(sql)));
