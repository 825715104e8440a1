#!/usr/bin/env bash
# D1 of Cloudflare, through miniflare 4.20260730.0, whose workerd is the one of production: a digest of bytes, NaN and true are stored and read; a sum above 2^53, two columns of one name, a division by 2, and a table whose statement has two lines.
# Expected: the bytes as Uint8Array or ArrayBuffer, an error for NaN, an error or another type for the sum, both columns or an error, 3, and the table.
# Seen on 2026-11-29: the bytes come back as a list of numbers, which no function for bytes takes. NaN is NULL. The sum is ...992, another number, and a BigInt, which could hold it, is refused. One of the two columns is gone (`raw()` has both). 7 / 2 is 3.5, since every
# number is bound as a real. `exec` runs line by line, so the table is a syntax error.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts miniflare@4.20260730.0
cat > seen.mjs <<'JS'
import { Miniflare } from "miniflare";
const miniflare = new Miniflare({ modules: true, script: "export default { fetch() { return new Response() } }", d1Databases: ["DB"], compatibilityDate: "2026-07-01" });
const db = await miniflare.getD1Database("DB");
await db.exec("CREATE TABLE call (digest BLOB, credits REAL, paid INTEGER)");
await db.prepare("INSERT INTO call VALUES (?, ?, ?)").bind(new Uint8Array([1, 255]), Number.NaN, true).run();
const { digest, credits, paid } = await db.prepare("SELECT * FROM call").first();
console.log(`bytes: ${digest.constructor.name} ${JSON.stringify(digest)}, NaN: ${credits}, true: ${paid}`);
console.log(`9007199254740993: ${(await db.prepare("SELECT 9007199254740993 AS sum").first()).sum}`);
console.log(`two prices: ${JSON.stringify(await db.prepare("SELECT 1 AS price, 2 AS price").first())}`);
console.log(`7 / ? of 2: ${(await db.prepare("SELECT 7 / ? AS half").bind(2).first()).half}`);
console.log(`two lines: ${await db.exec("CREATE TABLE key (\n  id TEXT)").then(() => "done", ({ message }) => message)}`);
console.log(`5n: ${await Promise.resolve().then(() => db.prepare("SELECT ?").bind(5n).first()).catch(({ message }) => message.replaceAll("'", ""))}`);
await miniflare.dispose();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'bytes: Array [1,255], NaN: null, true: 1
9007199254740993: 9007199254740992
two prices: {"price":2}
7 / ? of 2: 3.5
two lines: D1_EXEC_ERROR: Error in line 1: CREATE TABLE key (: incomplete input: SQLITE_ERROR
5n: D1_TYPE_ERROR: Type bigint not supported for value 5' ]
