#!/usr/bin/env bash
# 100,000 prices from 0.01 to 1000.00 are in a file of Parquet, as DECIMAL(18, 2), which is there for exact amounts. Three libraries read them.
# Expected: the price, as text or as an object that prints it, or as the number nearest to it.
# Seen on 2026-11-29: apache-arrow 21.2.0 (with parquet-wasm 0.8.0) hands out an object that prints the digits without the scale, so each price is a hundred times as much: 4.35 is 435, in `String`, `Number` and a sum; the scale is in the type of the column, and the caller
# has to apply it. hyparquet 1.31.5 multiplies by 0.01, so 13,929 of the prices are another number: 19.99 is 19.990000000000002. @duckdb/node-api 1.5.6-r.1 is right.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps hyparquet@1.31.5 apache-arrow@21.2.0 parquet-wasm@0.8.0 \
  @duckdb/node-api@1.5.6-r.1
cat > seen.mjs <<'JS'
import { readFileSync } from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";
import { tableFromIPC } from "apache-arrow";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { readParquet } from "parquet-wasm/node";
const connection = await (await DuckDBInstance.create(":memory:")).connect();
await connection.run("COPY (SELECT CAST(n / 100 AS DECIMAL(18, 2)) AS price FROM range(1, 100001) AS t(n) ORDER BY n) TO 'prices.parquet' (FORMAT parquet)");
const table = tableFromIPC(readParquet(new Uint8Array(readFileSync("prices.parquet"))).intoIPCStream());
const readers = {
  "@duckdb/node-api, as JSON": async () => (await connection.runAndReadAll("FROM 'prices.parquet'")).getRowObjectsJson(),
  "@duckdb/node-api, as JS": async () => (await connection.runAndReadAll("FROM 'prices.parquet'")).getRowObjectsJS(),
  hyparquet: async () => parquetReadObjects({ file: await asyncBufferFromFile("prices.parquet") }),
  "apache-arrow": async () => table.toArray(),
};
for (const [name, read] of Object.entries(readers)) {
  const prices = (await read()).map(({ price }) => price);
  const wrong = prices.filter((price, index) => Number(String(price)) !== (index + 1) / 100).length;
  console.log(`${name}: 4.35 is ${typeof prices[434]} ${prices[434]}, 19.99 is ${prices[1998]}; ${wrong} of ${prices.length} are another price`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = '@duckdb/node-api, as JSON: 4.35 is string 4.35, 19.99 is 19.99; 0 of 100000 are another price
@duckdb/node-api, as JS: 4.35 is number 4.35, 19.99 is 19.99; 0 of 100000 are another price
hyparquet: 4.35 is number 4.3500000000000005, 19.99 is 19.990000000000002; 13929 of 100000 are another price
apache-arrow: 4.35 is object 435, 19.99 is 1999; 100000 of 100000 are another price' ]
