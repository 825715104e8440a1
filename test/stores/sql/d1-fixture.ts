/**
 * D1 in workerd, for tests that run in Node: a Worker with bindings takes statements as JSON. It starts once per test
 * file; each scene has its own database with our tables.
 */
import { after } from "node:test";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { D1_MIGRATIONS, type D1Migration } from "#stores/schema/d1-migrations.ts";
import type { D1, D1Result, D1Statement } from "#stores/sql/d1-database.ts";
import type { SqlRow } from "#stores/sqlite/driver.ts";
import { COMPATIBILITY_DATE } from "../../support/wrangler-config.ts";

/** The original `fetch`: tests replace the global one to fake providers' responses. */
const { fetch } = globalThis;
const DATABASES_MAX = 100;
const names = Array.from({ length: DATABASES_MAX }, (_, index) => `DB${index}`);
let running: Promise<{ miniflare: Miniflare; base: string }> | undefined;
let opened = 0;

after(async () => (await running)?.miniflare.dispose());

const WORKER = `export default { async fetch(request, env) {
  const { name, queries } = await request.json();
  const database = env[name];
  const statements = queries.map(({ sql, values }) => database.prepare(sql).bind(...values));
  try {
    const one = statements.length === 1;
    return Response.json(one ? [await statements[0].all()] : await database.batch(statements));
  } catch (error) {
    return Response.json({ message: error.message }, { status: 500 });
  }
} }`;

async function start() {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      modules: [{ type: "ESModule", path: "worker.mjs", contents: WORKER }],
      compatibilityDate: COMPATIBILITY_DATE,
      d1Databases: Object.fromEntries(names.map((name) => [name, name])),
      host: "127.0.0.1",
      cf: false,
    }),
  );
  return { miniflare, base: (await miniflare.ready).href };
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
    const { base } = (await running) as { base: string };
    const body = JSON.stringify({ name, queries });
    const response = await fetch(base, { method: "POST", body });
    const result = (await response.json()) as D1Result[] | { message: string };
    if ("message" in result) throw new Error(result.message);
    return result;
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
