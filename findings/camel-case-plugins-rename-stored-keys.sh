#!/usr/bin/env bash
# Columns in snake_case, names in camelCase: kysely 0.29.9 with its CamelCasePlugin, and postgres 3.4.9 with `transform: postgres.camel`, read a
# jsonb value that holds a person's own data, `{"order_id": 1, "user_7": 2}`.
# Expected: the column's name changes, and the value is what was stored.
# Seen on 2026-11-29: both rename the keys inside the value too, at every depth: `order_id` is read as `orderId` and `user_7` as `user7`, from which
# nobody can tell what was stored. kysely's option `maintainNestedObjectKeys`, and functions for columns alone in postgres, keep the keys.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 postgres@3.4.9 kysely@0.29.9
cat > seen.mjs <<'JS'
import { PGlite } from "@electric-sql/pglite";
import { PGLiteSocketServer } from "@electric-sql/pglite-socket";
import { CamelCasePlugin, Kysely, PGliteDialect } from "kysely";
import postgres from "postgres";
const db = await PGlite.create();
await db.exec(`CREATE TABLE payment (own_data jsonb); INSERT INTO payment VALUES ('{"order_id": 1, "user_7": {"a_b": 2}}')`);
for (const options of [{}, { maintainNestedObjectKeys: true }]) {
  const kysely = new Kysely({ dialect: new PGliteDialect({ pglite: db }), plugins: [new CamelCasePlugin(options)] });
  console.log(`kysely ${JSON.stringify(options)}: ${JSON.stringify(await kysely.selectFrom("payment").selectAll().executeTakeFirst())}`);
}
const server = new PGLiteSocketServer({ db, port: 0, host: "127.0.0.1" });
await server.start();
const address = { host: "127.0.0.1", port: Number(server.getServerConn().split(":").pop()), user: "postgres", database: "postgres", max: 1 };
for (const [name, transform] of [["camel", postgres.camel], ["columns alone", { column: { from: postgres.toCamel, to: postgres.fromCamel } }]]) {
  const sql = postgres({ ...address, transform });
  console.log(`postgres ${name}: ${JSON.stringify((await sql`SELECT * FROM payment`)[0])}`);
  await sql.end();
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'kysely {}: {"ownData":{"user7":{"aB":2},"orderId":1}}
kysely {"maintainNestedObjectKeys":true}: {"ownData":{"user_7":{"a_b":2},"order_id":1}}
postgres camel: {"ownData":{"user7":{"aB":2},"orderId":1}}
postgres columns alone: {"ownData":{"user_7":{"a_b":2},"order_id":1}}' ]
