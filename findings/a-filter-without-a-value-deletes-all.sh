#!/usr/bin/env bash
# The keys of an account are deleted, and the account is undefined, because a member has another name than thought. Three keys of three accounts in PostgreSQL 18 (PGlite 0.5.14), ten ways to say it.
# Expected: an error, or no key is deleted: nothing is equal to nothing.
# Seen on 2026-11-29: kysely 0.29.9 `eb.and({ account })`, which it has for filters by an object, leaves the member out, and a filter of nothing is true: all keys of all accounts are deleted. Its `where("account", "=", account)` deletes none. drizzle-orm
# 0.45.4 `and()` leaves undefined out as well, as its docs say. typeorm 1.1.1, sequelize 6.37.8, knex 3.3.0, objection 3.1.5 and postgres 3.4.9 throw; pg 8.23.1 and drizzle `eq` compare with NULL and delete none.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps typeorm@1.1.1 reflect-metadata@0.2.2 sequelize@6.37.8 drizzle-orm@0.45.4 \
  kysely@0.29.9 knex@3.3.0 objection@3.1.5 @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 pg@8.23.1 postgres@3.4.9
cat > seen.mjs <<'JS'
import "reflect-metadata";
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import { and, eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { integer, pgTable, text } from "drizzle-orm/pg-core";
import Knex from "knex";
import { Kysely, PostgresDialect } from "kysely";
import { Model } from "objection";
import pg from "pg";
import postgres from "postgres";
import { DataTypes, Sequelize } from "sequelize";
import { DataSource, EntitySchema } from "typeorm";
const db = await PGlite.create();
const server = new PGLiteSocketServer({ db, port: 0, host: "127.0.0.1" });
await server.start();
const address = { host: "127.0.0.1", port: Number(server.getServerConn().split(":").pop()), user: "postgres", database: "postgres" };
const account = undefined;
const Key = new EntitySchema({ name: "key", columns: { id: { type: "int", primary: true }, account: { type: "text" } } });
const keys = pgTable("key", { id: integer().primaryKey(), account: text() });
const withKnex = async (work) => {
  const knex = Knex({ client: "pg", connection: address, pool: { min: 0, max: 1 } });
  return work(knex).finally(() => knex.destroy());
};
const withPg = async (work) => {
  const client = new pg.Client(address);
  await client.connect();
  return work(client).finally(() => client.end());
};
const withKysely = (work) => {
  const kysely = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ ...address, max: 1 }) }) });
  return work(kysely).finally(() => kysely.destroy());
};
const libraries = {
  "typeorm delete({ account })": async () => {
    const source = await new DataSource({ type: "postgres", ...address, username: "postgres", entities: [Key], poolSize: 1 }).initialize();
    return source.getRepository(Key).delete({ account }).finally(() => source.destroy());
  },
  "sequelize where: { account }": () => {
    const sequelize = new Sequelize({ dialect: "postgres", host: address.host, port: address.port, username: "postgres", database: "postgres", logging: false, pool: { max: 1 } });
    const model = sequelize.define("key", { id: { type: DataTypes.INTEGER, primaryKey: true }, account: DataTypes.TEXT }, { timestamps: false, freezeTableName: true });
    return model.destroy({ where: { account } }).finally(() => sequelize.close());
  },
  "knex where({ account })": () => withKnex((knex) => knex("key").where({ account }).delete()),
  "objection where({ account })": () => withKnex((knex) => (class extends Model { static tableName = "key"; }).bindKnex(knex).query().delete().where({ account })),
  "postgres ${account}": () => {
    const sql = postgres({ ...address, max: 1 });
    return sql`DELETE FROM key WHERE account = ${account}`.finally(() => sql.end());
  },
  "pg [account]": () => withPg((client) => client.query("DELETE FROM key WHERE account = $1", [account])),
  "drizzle eq(keys.account, account)": () => withPg((client) => drizzle(client).delete(keys).where(eq(keys.account, account))),
  "drizzle and(account && eq(keys.account, account))": () => withPg((client) => drizzle(client).delete(keys).where(and(account && eq(keys.account, account)))),
  "kysely where('account', '=', account)": () => withKysely((kysely) => kysely.deleteFrom("key").where("account", "=", account).execute()),
  "kysely eb.and({ account })": () => withKysely((kysely) => kysely.deleteFrom("key").where((eb) => eb.and({ account })).execute()),
};
for (const [name, remove] of Object.entries(libraries)) {
  await db.exec("DROP TABLE IF EXISTS key; CREATE TABLE key (id int PRIMARY KEY, account text); INSERT INTO key VALUES (1, 'a'), (2, 'b'), (3, 'c')");
  const end = await Promise.resolve().then(remove).then(() => "", () => "an error, ");
  await new Promise((resolve) => setTimeout(resolve, 100));
  console.log(`${name.replaceAll("'", "")}: ${end}${3 - (await db.query("SELECT * FROM key")).rows.length} deleted`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'typeorm delete({ account }): an error, 0 deleted
sequelize where: { account }: an error, 0 deleted
knex where({ account }): an error, 0 deleted
objection where({ account }): an error, 0 deleted
postgres ${account}: an error, 0 deleted
pg [account]: 0 deleted
drizzle eq(keys.account, account): 0 deleted
drizzle and(account && eq(keys.account, account)): 3 deleted
kysely where(account, =, account): 0 deleted
kysely eb.and({ account }): 3 deleted' ]
