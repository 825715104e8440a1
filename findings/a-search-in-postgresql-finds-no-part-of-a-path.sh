#!/usr/bin/env bash
# The docs of an API, in sentences that name addresses, files and hosts, are searched in a database: `to_tsvector` and `websearch_to_tsquery` of PostgreSQL 18 (PGlite 0.5.14), in English, and FTS5 of SQLite (node:sqlite of Node 24.21.0), the words
# in quotes.
# Expected: a word is found where it stands between slashes or dots, since both divide texts into words, and `-5` finds -5.
# Seen on 2026-11-30: PostgreSQL takes `/v1/tools/uuid` for one word, a file, and `src/billing/stripe.ts`, `price-list.ts` and `api.example.com` for a file and two hosts. `tools`, `v1`, `/v1/tools`, `billing` and `example` find nothing, in the
# configuration `simple` neither. A search for `-5` finds all sentences that do not have a 5. SQLite finds the word each time. Names with a hyphen or an underscore, `Idempotency-Key`, `rate_limit`, are found by their parts in both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts @electric-sql/pglite@0.5.14
cat > seen.mjs <<'JS'
import { DatabaseSync } from "node:sqlite";
import { PGlite } from "@electric-sql/pglite";
const docs = ["Call GET /v1/tools/uuid to make one", "Send Idempotency-Key; the field rate_limit says how many", "See src/billing/stripe.ts and price-list.ts", "The host is api.example.com", "A correction has credits=-5"];
const pg = new PGlite();
await pg.exec("CREATE TABLE docs (id int, body text)");
const lite = new DatabaseSync(":memory:");
lite.exec("CREATE VIRTUAL TABLE docs USING fts5(body)");
for (const [id, body] of docs.entries()) {
  await pg.query("INSERT INTO docs VALUES ($1, $2)", [id, body]);
  lite.prepare("INSERT INTO docs (rowid, body) VALUES (?, ?)").run(id, body);
}
for (const words of ["tools", "v1", "/v1/tools", "billing", "price list", "example", "key", "limit", "-5"]) {
  const { rows } = await pg.query("SELECT id FROM docs WHERE to_tsvector('english', body) @@ websearch_to_tsquery('english', $1) ORDER BY id", [words]);
  const found = lite.prepare("SELECT rowid AS id FROM docs WHERE docs MATCH ?").all(`"${words}"`);
  console.log(`${words}: PostgreSQL ${rows.map(({ id }) => id).join(" ") || "nothing"}, SQLite ${found.map(({ id }) => id).join(" ") || "nothing"}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'tools: PostgreSQL nothing, SQLite 0
v1: PostgreSQL nothing, SQLite 0
/v1/tools: PostgreSQL nothing, SQLite 0
billing: PostgreSQL nothing, SQLite 2
price list: PostgreSQL nothing, SQLite 2
example: PostgreSQL nothing, SQLite 3
key: PostgreSQL 1, SQLite 1
limit: PostgreSQL 1, SQLite 1
-5: PostgreSQL 0 1 2 3 4, SQLite 4' ]
