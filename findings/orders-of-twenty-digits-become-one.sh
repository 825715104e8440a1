#!/usr/bin/env bash
# An export of usage as CSV is read by DuckDB 1.5 (@duckdb/node-api 1.5.6-r.1), which finds the types itself: orders of 20 digits, keys such as 1e5 and 0x10, days as 03/04/2026 and 12-11-10.
# Expected: what cannot be a number without a loss stays text, as 007 does; and days that can be read in two ways stay text, or are an error.
# Seen on 2026-11-29: orders become DOUBLE, so ...890 and ...891 are one order, and a sum by order adds the credits of both. 1e5 is 100000 and 0x10 is 16. 03/04/2026 is 3 April, unless the same column has a day above 12 in the second place: then it
# is 4 March, so a row in December changes what January says. 12-11-10 is 2012. `all_varchar = true` or `types` keep the text.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @duckdb/node-api@1.5.6-r.1
cat > seen.mjs <<'JS'
import { writeFileSync } from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";
const connection = await (await DuckDBInstance.create(":memory:")).connect();
const files = {
  orders: "order,credits\n12345678901234567890,5\n12345678901234567891,7\n",
  keys: "key\n1e5\n2e3\n",
  codes: "key\n0x10\n0x20\n",
  days: "day\n03/04/2026\n05/06/2026\n",
  "more days": "day\n03/04/2026\n05/25/2026\n",
  "short days": "day\n12-11-10\n11-12-09\n",
};
for (const [name, text] of Object.entries(files)) {
  writeFileSync(`${name}.csv`, text);
  const result = await connection.runAndReadAll(`FROM '${name}.csv'`);
  console.log(`${name}: ${result.columnTypes()[0]} ${result.getRowObjectsJson().map((row) => Object.values(row)[0]).join(", ")}`);
}
console.log(`sums by order: ${(await connection.runAndReadAll("SELECT sum(credits) FROM 'orders.csv' GROUP BY \"order\"")).getRowsJson().join(", ")}`);
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'orders: DOUBLE 12345678901234567000, 12345678901234567000
keys: DOUBLE 100000, 2000
codes: BIGINT 16, 32
days: DATE 2026-04-03, 2026-06-05
more days: DATE 2026-03-04, 2026-05-25
short days: DATE 2012-11-10, 2011-12-09
sums by order: 12' ]
