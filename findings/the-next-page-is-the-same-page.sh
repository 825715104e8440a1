#!/usr/bin/env bash
# Nine calls, 0.3 ms apart, in PostgreSQL 18 (PGlite 0.5.14), are read in pages of three: `WHERE at > $1 ORDER BY at LIMIT 3`, with the time of the last row of the page before.
# Expected: nine calls in three pages, each once: what a client reads of a row finds the rows behind it.
# Seen on 2026-11-29: PGlite, pg 8.23.1, postgres 3.4.9 and drizzle-orm 0.45.4 read a Date, which has milliseconds, and PostgreSQL has microseconds: the last row is behind its own time, so it comes again, and here each page is the first one, without an end.
# An export has calls twice, on a busy second only. `mode: "string"` of drizzle-orm keeps all digits; otherwise the cursor needs `at::text`, or an id beside it and `date_trunc`.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 pg@8.23.1 \
  postgres@3.4.9 drizzle-orm@0.45.4
cat > seen.mjs <<'JS'
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import { asc, gt } from "drizzle-orm";
import { integer, pgTable, timestamp } from "drizzle-orm/pg-core";
import { drizzle } from "drizzle-orm/pglite";
import pg from "pg";
import postgres from "postgres";
const db = await PGlite.create();
await db.exec("CREATE TABLE call (id int, at timestamptz); INSERT INTO call SELECT n, timestamptz '2026-11-29 10:00Z' + n * interval '300 microseconds' FROM generate_series(1, 9) n");
const server = new PGLiteSocketServer({ db, port: 0, host: "127.0.0.1" });
await server.start();
const address = { host: "127.0.0.1", port: Number(server.getServerConn().split(":").pop()), user: "postgres", database: "postgres" };
const sql = "SELECT id, at FROM call WHERE at > $1 ORDER BY at LIMIT 3";
const viaDrizzle = (mode) => {
  const call = pgTable("call", { id: integer(), at: timestamp({ withTimezone: true, mode }) });
  return { page: (at) => drizzle(db).select().from(call).where(gt(call.at, at)).orderBy(asc(call.at)).limit(3) };
};
const clients = {
  PGlite: () => ({ page: async (at) => (await db.query(sql, [at])).rows }),
  pg: async () => {
    const client = new pg.Client(address);
    await client.connect();
    return { page: async (at) => (await client.query(sql, [at])).rows, end: () => client.end() };
  },
  postgres: () => {
    const client = postgres({ ...address, max: 1 });
    return { page: (at) => client.unsafe(sql, [at]), end: () => client.end() };
  },
  "drizzle-orm, date": () => viaDrizzle("date"),
  "drizzle-orm, string": () => viaDrizzle("string"),
};
for (const [name, open] of Object.entries(clients)) {
  const { page, end } = await open();
  const pages = [];
  let at = name.endsWith("string") ? "2026-11-29T10:00:00Z" : new Date("2026-11-29T10:00:00Z");
  for (let count = 1; count <= 3; count += 1) {
    const rows = await page(at);
    pages.push(rows.map(({ id }) => id).join(" "));
    ({ at } = rows.at(-1));
  }
  await end?.();
  console.log(`${name}: ${pages.join(", then ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'PGlite: 1 2 3, then 1 2 3, then 1 2 3
pg: 1 2 3, then 1 2 3, then 1 2 3
postgres: 1 2 3, then 1 2 3, then 1 2 3
drizzle-orm, date: 1 2 3, then 1 2 3, then 1 2 3
drizzle-orm, string: 1 2 3, then 4 5 6, then 7 8 9' ]
