#!/usr/bin/env bash
# Two requests at a time in one process, on a database with one connection. One writes in a transaction, waits for something and fails. Meanwhile the other writes a payment, once as a single statement and once in a transaction of its own, and succeeds.
# Expected: the payment is there afterwards: a transaction has the connection to itself until it ends, or the second request fails.
# Seen on 2026-11-29: typeorm 1.1.1 on better-sqlite3 13.2.0 and on sql.js 1.17.0 runs the payment inside of the transaction of the other request, and its own transaction as a savepoint in there; both report success, and both are undone with the error of the
# other. knex 3.3.0, kysely 0.29.9, PGlite 0.5.14 and drizzle-orm 0.45.4 on it let the second request wait. Tests that do one thing at a time do not show it.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps better-sqlite3@13.2.0 typeorm@1.1.1 reflect-metadata@0.2.2 sql.js@1.17.0 \
  kysely@0.29.9 knex@3.3.0 @electric-sql/pglite@0.5.14 drizzle-orm@0.45.4
cat > seen.mjs <<'JS'
import "reflect-metadata";
import { setTimeout } from "node:timers/promises";
import { PGlite } from "@electric-sql/pglite";
import BetterSqlite from "better-sqlite3";
import { sql as drizzleSql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/pglite";
import Knex from "knex";
import { Kysely, SqliteDialect, sql } from "kysely";
import { DataSource } from "typeorm";
const typeorm = async (options) => {
  const source = await new DataSource(options).initialize();
  return { run: (text) => source.query(text), transaction: (work) => source.transaction((manager) => work((text) => manager.query(text))) };
};
const libraries = {
  "typeorm, better-sqlite3": () => typeorm({ type: "better-sqlite3", database: ":memory:" }),
  "typeorm, sql.js": () => typeorm({ type: "sqljs" }),
  "knex, better-sqlite3": () => {
    const db = Knex({ client: "better-sqlite3", connection: ":memory:", useNullAsDefault: true });
    return { run: (text) => db.raw(text), transaction: (work) => db.transaction((trx) => work((text) => trx.raw(text))) };
  },
  "kysely, better-sqlite3": () => {
    const db = new Kysely({ dialect: new SqliteDialect({ database: new BetterSqlite(":memory:") }) });
    const run = (on) => async (text) => (await sql.raw(text).execute(on)).rows;
    return { run: run(db), transaction: (work) => db.transaction().execute((trx) => work(run(trx))) };
  },
  PGlite: async () => {
    const db = await PGlite.create();
    const run = (on) => async (text) => (await on.query(text)).rows;
    return { run: run(db), transaction: (work) => db.transaction((trx) => work(run(trx))) };
  },
  "drizzle, PGlite": async () => {
    const db = drizzle(await PGlite.create());
    const run = (on) => async (text) => (await on.execute(drizzleSql.raw(text))).rows;
    return { run: run(db), transaction: (work) => db.transaction((trx) => work(run(trx))) };
  },
};
for (const [name, open] of Object.entries(libraries)) {
  const { run, transaction } = await open();
  const seen = [];
  const pay = "INSERT INTO payment VALUES (1)";
  for (const second of [() => run(pay), () => transaction((inside) => inside(pay))]) {
    await run("DROP TABLE IF EXISTS payment");
    await run("CREATE TABLE payment (id INTEGER)");
    const { promise: written, resolve: hasWritten } = Promise.withResolvers();
    const { promise: end, resolve: fail } = Promise.withResolvers();
    const failing = transaction(async (inside) => {
      await inside("INSERT INTO payment VALUES (2)");
      hasWritten();
      await end;
      throw new Error("no credits");
    }).catch(() => {});
    await written;
    const paying = second().then(() => "succeeds", () => "fails");
    await Promise.race([paying, setTimeout(200)]);
    fail();
    await failing;
    const answer = await paying;
    seen.push(`${answer}, ${(await run("SELECT id FROM payment")).length} rows`);
  }
  console.log(`${name}: alone ${seen[0]}; in a transaction ${seen[1]}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'typeorm, better-sqlite3: alone succeeds, 0 rows; in a transaction succeeds, 0 rows
typeorm, sql.js: alone succeeds, 0 rows; in a transaction succeeds, 0 rows
knex, better-sqlite3: alone succeeds, 1 rows; in a transaction succeeds, 1 rows
kysely, better-sqlite3: alone succeeds, 1 rows; in a transaction succeeds, 1 rows
PGlite: alone succeeds, 1 rows; in a transaction succeeds, 1 rows
drizzle, PGlite: alone succeeds, 1 rows; in a transaction succeeds, 1 rows' ]
