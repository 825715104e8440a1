#!/usr/bin/env bash
# Rows of a ledger, once read by themselves and once as the related rows of their account, which both libraries offer so that one query is enough. PostgreSQL 18 (PGlite 0.5.14).
# Expected: the same values both times, at least where the column has a type that says so, as `bigint({ mode: "bigint" })` of drizzle-orm does.
# Seen on 2026-11-29: both libraries let PostgreSQL make JSON of the related rows and read that with JSON.parse. drizzle-orm 0.45.4 returns the BigInt 9007199254740992 for 9007199254740993, made of the number
# that was rounded before, and a `numeric` whose last digits and zeros are lost. kysely 0.29.9 `jsonArrayFrom` returns numbers where a plain select returns texts (as its types say), rounded as well, and
# texts for dates and for bytes. Sums of money have to be cast to text within the query.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 pg@8.23.1 drizzle-orm@0.45.4 kysely@0.29.9
cat > seen.mjs <<'JS'
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import { relations } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { bigint, integer, numeric, pgTable, timestamp } from "drizzle-orm/pg-core";
import { Kysely, PostgresDialect } from "kysely";
import { jsonArrayFrom } from "kysely/helpers/postgres";
import pg from "pg";
const db = await PGlite.create();
await db.exec(`CREATE TABLE account (id int PRIMARY KEY); CREATE TABLE entry (account int, sum bigint, price numeric, at timestamptz); INSERT INTO account VALUES (1);
INSERT INTO entry VALUES (1, 9007199254740993, 12345678901234567.80, '2026-11-29T10:00:00Z')`);
const server = new PGLiteSocketServer({ db, port: 0, host: "127.0.0.1" });
await server.start();
const pool = new pg.Pool({ host: "127.0.0.1", port: Number(server.getServerConn().split(":").pop()), user: "postgres", database: "postgres", max: 1 });
const account = pgTable("account", { id: integer().primaryKey() });
const entry = pgTable("entry", { account: integer(), sum: bigint({ mode: "bigint" }), price: numeric(), at: timestamp({ withTimezone: true }) });
const entries = relations(account, ({ many }) => ({ entries: many(entry) }));
const owner = relations(entry, ({ one }) => ({ owner: one(account, { fields: [entry.account], references: [account.id] }) }));
const orm = drizzle({ client: pool, schema: { account, entry, entries, owner } });
const kysely = new Kysely({ dialect: new PostgresDialect({ pool }) });
const rows = {
  "drizzle-orm, alone": async () => (await orm.select().from(entry))[0],
  "drizzle-orm, related": async () => (await orm.query.account.findFirst({ with: { entries: true } })).entries[0],
  "kysely, alone": () => kysely.selectFrom("entry").selectAll().executeTakeFirst(),
  "kysely, related": async () => {
    const related = (builder) => jsonArrayFrom(builder.selectFrom("entry").selectAll()).as("entries");
    return (await kysely.selectFrom("account").select(related).executeTakeFirst()).entries[0];
  },
};
const kind = (value) => (value instanceof Date ? `Date ${value.toISOString()}` : `${typeof value} ${value}`);
for (const [name, read] of Object.entries(rows)) {
  const { sum, price, at } = await read();
  console.log(`${name}: ${kind(sum)}, ${kind(price)}, ${kind(at)}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'drizzle-orm, alone: bigint 9007199254740993, string 12345678901234567.80, Date 2026-11-29T10:00:00.000Z
drizzle-orm, related: bigint 9007199254740992, string 12345678901234568, Date 2026-11-29T10:00:00.000Z
kysely, alone: string 9007199254740993, string 12345678901234567.80, Date 2026-11-29T10:00:00.000Z
kysely, related: number 9007199254740992, number 12345678901234568, string 2026-11-29T10:00:00+00:00' ]
