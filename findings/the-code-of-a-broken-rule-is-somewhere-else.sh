#!/usr/bin/env bash
# An insert breaks a unique constraint of PostgreSQL 18 (PGlite 0.5.14). Where does a program find the code, 23505, and the name of the constraint, to tell a repeated key from another
# mistake? Ten ways to send the same statement.
# Expected: `error.code` and `error.constraint`, as with pg 8.23.1, on which seven of them are built.
# Seen on 2026-11-29: so it is with pg, PGlite, kysely 0.29.9, knex 3.3.0, pg-promise 12.7.1 and typeorm 1.1.1. drizzle-orm 0.45.4 and sequelize 6.37.8 have neither on the error: they are on its `cause` and
# on its `parent`. postgres 3.4.9 calls the name `constraint_name`, and slonik 47.3.2 has `constraint`, and the code on its `cause`. So code that looks at `error.code` takes a repeated call
# for a fault once the driver below it is changed or wrapped.
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
import Knex from "knex";
import { Kysely, PostgresDialect, sql as kyselySql } from "kysely";
import pg from "pg";
import pgPromise from "pg-promise";
import postgres from "postgres";
import { Sequelize } from "sequelize";
import { createPool, sql as slonikSql } from "slonik";
import { DataSource } from "typeorm";
const db = await PGlite.create();
await db.exec("CREATE TABLE call (id int CONSTRAINT one_call PRIMARY KEY); INSERT INTO call VALUES (1)");
const server = new PGLiteSocketServer({ db, port: 0, host: "127.0.0.1" });
await server.start();
const address = { host: "127.0.0.1", port: Number(server.getServerConn().split(":").pop()), user: "postgres", database: "postgres" };
const url = `postgres://postgres@127.0.0.1:${address.port}/postgres`;
const text = "INSERT INTO call VALUES (1)";
const libraries = {
  PGlite: () => db.query(text),
  pg: async () => {
    const client = new pg.Client(address);
    await client.connect();
    return client.query(text).finally(() => client.end());
  },
  kysely: () => {
    const kysely = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ ...address, max: 1 }) }) });
    return kyselySql.raw(text).execute(kysely).finally(() => kysely.destroy());
  },
  knex: () => {
    const knex = Knex({ client: "pg", connection: address, pool: { min: 0, max: 1 } });
    return knex.raw(text).finally(() => knex.destroy());
  },
  "pg-promise": () => {
    const promise = pgPromise()({ ...address, max: 1 });
    return promise.none(text).finally(() => promise.$pool.end());
  },
  typeorm: async () => {
    const source = await new DataSource({ type: "postgres", url }).initialize();
    return source.query(text).finally(() => source.destroy());
  },
  postgres: () => {
    const sql = postgres({ ...address, max: 1 });
    return sql.unsafe(text).finally(() => sql.end());
  },
  "drizzle-orm": () => {
    const pool = new pg.Pool({ ...address, max: 1 });
    return drizzle({ client: pool }).execute(drizzleSql.raw(text)).then((result) => result).finally(() => pool.end());
  },
  sequelize: () => {
    const sequelize = new Sequelize(url, { logging: false, pool: { max: 1 } });
    return sequelize.query(text).finally(() => sequelize.close());
  },
  slonik: async () => {
    const pool = await createPool(url, { maximumPoolSize: 1 });
    return pool.query(slonikSql.unsafe`INSERT INTO call VALUES (1)`).finally(() => pool.end());
  },
};
const places = (error, value) => {
  const seen = [];
  for (const [path, object] of [["error", error], ["error.cause", error.cause], ["error.parent", error.parent]])
    for (const name of ["code", "constraint", "constraint_name"]) if (object?.[name] === value) seen.push(`${path}.${name}`);
  return seen.join(" and ") || "nowhere";
};
for (const [name, run] of Object.entries(libraries)) {
  const error = await run().catch((caught) => caught);
  console.log(`${name}: code ${places(error, "23505")}, name ${places(error, "one_call")}`);
  await setTimeout(300);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'PGlite: code error.code, name error.constraint
pg: code error.code, name error.constraint
kysely: code error.code, name error.constraint
knex: code error.code, name error.constraint
pg-promise: code error.code, name error.constraint
typeorm: code error.code, name error.constraint
postgres: code error.code, name error.constraint_name
drizzle-orm: code error.cause.code, name error.cause.constraint
sequelize: code error.parent.code, name error.parent.constraint
slonik: code error.cause.code, name error.constraint and error.cause.constraint' ]
