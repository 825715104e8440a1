#!/usr/bin/env bash
# node:sqlite of Node 24: an aggregate that collects the costs of each account, `aggregate("costs", { start: [], step, result })`, over two accounts and
# then over one again; a function that returns a boolean; and one with an optional second argument.
# Expected: each group begins with an empty list; true is stored as 1, as it is when it is bound; both numbers of arguments work.
# Seen on 2026-11-30 with Node 24.21.0: `start` is one object for all groups and all statements, so the second account has the costs of the first, and the next
# query those of both. `start: () => []` makes one for each. A returned true is an error, and a second argument is the wrong number of arguments, as only those before the first default count.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts \
  "node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@24.21.0"
node="$(find "$PWD/node_modules" -path '*/bin/node' -type f)"
cat > seen.mjs <<'JS'
import { DatabaseSync } from "node:sqlite";
const database = new DatabaseSync(":memory:");
database.exec("CREATE TABLE call (account TEXT, cost INTEGER); INSERT INTO call VALUES ('a', 1), ('a', 2), ('b', 3)");
const step = (costs, cost) => [costs.push(cost), costs][1];
const result = (costs) => JSON.stringify(costs);
database.aggregate("costs", { start: [], step, result });
database.aggregate("own_costs", { start: () => [], step, result });
database.function("is_free", (cost) => cost === 0);
database.function("price", (cost, factor = 2) => cost * factor);
const ask = (sql) => {
  try {
    return database.prepare(sql).all().map((row) => Object.values(row).join(" ")).join(", ");
  } catch (error) {
    return error.message;
  }
};
for (const sql of [
  "SELECT account, costs(cost) FROM call GROUP BY account", "SELECT account, costs(cost) FROM call WHERE account = 'b'",
  "SELECT account, own_costs(cost) FROM call GROUP BY account", "SELECT is_free(0)", "SELECT price(5)", "SELECT price(5, 3)",
])
  console.log(`${sql}: ${ask(sql)}`);
JS
seen=$("$node" seen.mjs 2>/dev/null)
echo "$seen"
[ "$seen" = "SELECT account, costs(cost) FROM call GROUP BY account: a [1,2], b [1,2,3]
SELECT account, costs(cost) FROM call WHERE account = 'b': b [1,2,3,3]
SELECT account, own_costs(cost) FROM call GROUP BY account: a [1,2], b [3]
SELECT is_free(0): Returned JavaScript value cannot be converted to a SQLite value
SELECT price(5): 10
SELECT price(5, 3): wrong number of arguments to function price()" ]
