#!/usr/bin/env bash
# One PostgreSQL 18 (PGlite 0.5.14), asked directly and through postgres 3.4.9 and pg 8.23.1 by a process in Berlin: a value of type `date` is read and its day
# taken with toISOString(), and a Date, 23:30 UTC on 28 November, is written to a column of type `date` and one of type `timestamp`.
# Expected: the same days and times from all three, as the types have no time zone.
# Seen on 2026-11-29: pg reads a `date` as midnight of the process's time zone, so its day is the one before in all of Europe and Asia, and
# it writes a Date as local time: 29 November, 00:30. The others read and write UTC. Tests that run in UTC, as most do in CI, or with
# PGlite, do not see it; days of usage and ends of periods move by one where the process has a time zone.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 postgres@3.4.9 pg@8.23.1
cat > seen.mjs <<'JS'
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import pg from "pg";
import postgres from "postgres";
const db = await PGlite.create();
const server = new PGLiteSocketServer({ db, port: 0, host: "127.0.0.1" });
await server.start();
const where = { host: "127.0.0.1", port: Number(server.getServerConn().split(":").pop()), user: "postgres", database: "postgres" };
const sql = postgres({ ...where, max: 1 });
const drivers = [
  ["PGlite", async (text, values) => (await db.query(text, values)).rows[0], () => {}],
  ["postgres", async (text, values) => (await sql.unsafe(text, values))[0], () => sql.end()],
  ["pg", async (text, values) => (await client.query(text, values)).rows[0], () => client.end()],
];
const client = new pg.Client(where);
const late = new Date("2026-11-28T23:30:00Z");
for (const [name, first, close] of drivers) {
  if (name === "pg") await client.connect();
  const { day } = await first("SELECT date '2026-11-28' AS day", []);
  const written = await first("SELECT ($1::date)::text AS day, ($2::timestamp)::text AS time", [late, late]);
  console.log(`${name}: reads ${day.toISOString().slice(0, 10)}, writes ${written.day} and ${written.time}`);
  await close();
}
process.exit();
JS
seen=$(TZ=Europe/Berlin node seen.mjs)
echo "$seen"
[ "$seen" = 'PGlite: reads 2026-11-28, writes 2026-11-28 and 2026-11-28 23:30:00
postgres: reads 2026-11-28, writes 2026-11-28 and 2026-11-28 23:30:00
pg: reads 2026-11-27, writes 2026-11-29 and 2026-11-29 00:30:00' ]
