#!/usr/bin/env bash
# Values that are bound to a statement of SQLite by three drivers: numbers in a Uint32Array and a Float32Array, as vectors are kept, an empty ArrayBuffer, NaN, 2n ** 63n, and a text with a NUL.
# Expected: the bytes of the array, no bytes, an error for NaN and for what has no place in 64 bits, and the whole text; or an error.
# Seen on 2026-11-30: sql.js 1.17.0 cuts each element to a byte: 300 is stored as 2c and 1.5 as 01. node:sqlite of Node 24.21.0 stores the arrays, but an empty ArrayBuffer as NULL. node-sqlite3-wasm 0.8.60 refuses
# arrays, stores 2n ** 63n as -9223372036854775808 and cuts the text at the NUL. All three store NaN as NULL.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts sql.js@1.17.0 node-sqlite3-wasm@0.8.60 \
  "node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@24.21.0"
node="$(find "$PWD/node_modules" -path '*/bin/node' -type f)"
cat > seen.mjs <<'JS'
import { DatabaseSync } from "node:sqlite";
import wasm from "node-sqlite3-wasm";
import initSqlJs from "sql.js";
const { Database } = await initSqlJs();
const sql = "SELECT CASE typeof(?1) WHEN 'blob' THEN lower(hex(?1)) WHEN 'null' THEN 'NULL' WHEN 'text' THEN 'text of ' || length(CAST(?1 AS BLOB)) ELSE ?1 || '' END AS stored";
const drivers = {
  "node:sqlite": (value) => new DatabaseSync(":memory:").prepare(sql).get({ "?1": value }).stored,
  "sql.js": (value) => new Database().prepare(sql).getAsObject([value]).stored,
  "node-sqlite3-wasm": (value) => new wasm.Database(":memory:").get(sql, [value]).stored,
};
const values = {
  "Uint32Array 300": new Uint32Array([300]), "Float32Array 1.5": new Float32Array([1.5]), "empty ArrayBuffer": new ArrayBuffer(0), NaN: NaN,
  "2n ** 63n": 2n ** 63n, "a NUL b": "a\0b",
};
for (const [name, store] of Object.entries(drivers)) {
  const seen = Object.entries(values).map(([kind, value]) => {
    try {
      return `${kind}: ${store(value)}`;
    } catch {
      return `${kind}: an error`;
    }
  });
  console.log(`${name}: ${seen.join(", ")}`);
}
JS
seen=$("$node" seen.mjs 2>/dev/null)
echo "$seen"
[ "$seen" = 'node:sqlite: Uint32Array 300: 2c010000, Float32Array 1.5: 0000c03f, empty ArrayBuffer: NULL, NaN: NULL, 2n ** 63n: an error, a NUL b: text of 3
sql.js: Uint32Array 300: 2c, Float32Array 1.5: 01, empty ArrayBuffer: an error, NaN: NULL, 2n ** 63n: an error, a NUL b: text of 3
node-sqlite3-wasm: Uint32Array 300: an error, Float32Array 1.5: an error, empty ArrayBuffer: an error, NaN: NULL, 2n ** 63n: -9223372036854775808, a NUL b: text of 1' ]
