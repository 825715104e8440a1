#!/usr/bin/env bash
# A transaction writes a row, then a second one whose id exists. The program catches that error and goes on to the end of the callback. PostgreSQL 18 (PGlite 0.5.14), nine libraries.
# Expected: the transaction rejects, since the server undoes all of it and answers the COMMIT with ROLLBACK.
# Seen on 2026-11-29: PGlite itself, drizzle-orm 0.45.4 on pg 8.23.1, knex 3.3.0, pg-promise 12.7.1, typeorm 1.1.1, sequelize 6.37.8 and slonik 47.3.2 return the result of the
# callback as if it were committed, and the first row is not there: they do not look at the answer. postgres 3.4.9 rejects with the error that was caught, so drizzle-orm on it does
# too, and kysely 0.29.9 with an AbortedTransactionError. An "insert, and if it exists, update" by catching loses what was written before.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 pg@8.23.1 postgres@3.4.9 \
  drizzle-orm@0.45.4 kysely@0.29.9 knex@3.3.0 pg-promise@12.7.1 typeorm@1.1.1 reflect-metadata@0.2.2 sequelize@6.37.8 slonik@47.3.2 zod@4.6.7
cat > seen.mjs <<'JS'
import "reflect-metadata";
import { setTimeout } from "node:timers/promises";
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import { sql as drizzleSql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { drizzle as drizzlePostgres } from "drizzle-orm/postgres-js";
import Knex from "knex";
import { Kysely, PostgresDialect, sql as kyselySql } from "kysely";
import pg from "pg";
import pgPromise from "pg-promise";
import postgres from "postgres";
import { Sequelize } from "sequelize";
import { createPool, sql as slonikSql } from "slonik";
import { DataSource } from "typeorm";
const db = await PGlite.create();
await db.exec("CREATE TABLE call (id int PRIMARY KEY)");
const server = new PGLiteSocketServer({ db, port: 0, host: "127.0.0.1" });
await server.start();
const address = { host: "127.0.0.1", port: Number(server.getServerConn().split(":").pop()), user: "postgres", database: "postgres" };
const url = `postgres://postgres@127.0.0.1:${address.port}/postgres`;
const text = (id) => `INSERT INTO call VALUES (${id})`;
const body = async (insert) => {
  await insert(2);
  await Promise.resolve(insert(1)).catch(() => {});
};
const libraries = {
  PGlite: () => db.transaction((tx) => body((id) => tx.query(text(id)))),
  "drizzle-orm on pg": () => {
    const pool = new pg.Pool({ ...address, max: 1 });
    return drizzle({ client: pool }).transaction((tx) => body((id) => tx.execute(drizzleSql.raw(text(id))))).finally(() => pool.end());
  },
  knex: () => {
    const knex = Knex({ client: "pg", connection: address, pool: { min: 0, max: 1 } });
    return knex.transaction((tx) => body((id) => tx.raw(text(id)))).finally(() => knex.destroy());
  },
  "pg-promise": () => {
    const promise = pgPromise()({ ...address, max: 1 });
    return promise.tx((tx) => body((id) => tx.none(text(id)))).finally(() => promise.$pool.end());
  },
  typeorm: async () => {
    const source = await new DataSource({ type: "postgres", url }).initialize();
    return source.transaction((tx) => body((id) => tx.query(text(id)))).finally(() => source.destroy());
  },
  sequelize: () => {
    const sequelize = new Sequelize(url, { logging: false, pool: { max: 1 } });
    return sequelize.transaction((transaction) => body((id) => sequelize.query(text(id), { transaction }))).finally(() => sequelize.close());
  },
  slonik: async () => {
    const pool = await createPool(url, { maximumPoolSize: 1 });
    return pool.transaction((tx) => body((id) => tx.query(slonikSql.unsafe`INSERT INTO call VALUES (${id})`))).finally(() => pool.end());
  },
  postgres: () => {
    const sql = postgres({ ...address, max: 1 });
    return sql.begin((tx) => body((id) => tx.unsafe(text(id)))).finally(() => sql.end());
  },
  "drizzle-orm on postgres": () => {
    const sql = postgres({ ...address, max: 1 });
    return drizzlePostgres({ client: sql }).transaction((tx) => body((id) => tx.execute(drizzleSql.raw(text(id))))).finally(() => sql.end());
  },
  kysely: () => {
    const kysely = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ ...address, max: 1 }) }) });
    return kysely.transaction().execute((tx) => body((id) => kyselySql.raw(text(id)).execute(tx))).finally(() => kysely.destroy());
  },
};
for (const [name, run] of Object.entries(libraries)) {
  await db.exec("DELETE FROM call; INSERT INTO call VALUES (1)");
  const end = await run().then(() => "resolves", (error) => `rejects, ${error.constructor.name}`);
  const { rows } = await db.query("SELECT id FROM call ORDER BY id");
  console.log(`${name}: ${end}; rows ${rows.map(({ id }) => id)}`);
  await setTimeout(300);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'PGlite: resolves; rows 1
drizzle-orm on pg: resolves; rows 1
knex: resolves; rows 1
pg-promise: resolves; rows 1
typeorm: resolves; rows 1
sequelize: resolves; rows 1
slonik: resolves; rows 1
postgres: rejects, PostgresError; rows 1
drizzle-orm on postgres: rejects, PostgresError; rows 1
kysely: rejects, AbortedTransactionError; rows 1' ]
