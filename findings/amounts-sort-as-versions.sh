#!/usr/bin/env bash
# Amounts as texts, sorted in natural order by seven functions: 1.10, 1.9, 1.25 and 10; -10, -5 and 3; $9, $10 and $1,200; and two ids of 20 digits that differ in the last one. Tables of components sort their columns this way.
# Expected: in the order of their values, since that is what natural order is for; the ids too.
# Seen on 2026-11-29: Intl.Collator of Node 24 with `numeric`, `alphanumeric` of @tanstack/table-core 9.3.1, natural-compare 1.4.0, string-natural-compare 3.0.1 and alphanumeric-sort 0.0.1 sort decimals as versions, 1.9 before 1.10, and negative
# amounts backwards. natural-orderby 5.0.0 and javascript-natural-sort 0.7.1 sort both right, but take the two ids for equal, since they make numbers of them, as natural-compare and TanStack do. A thousands separator is wrong in all seven.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @tanstack/table-core@9.3.1 natural-compare@1.4.0 string-natural-compare@3.0.1 alphanumeric-sort@0.0.1 \
  natural-orderby@5.0.0 javascript-natural-sort@0.7.1
cat > seen.mjs <<'JS'
import * as table from "@tanstack/table-core";
import alphanumericSort from "alphanumeric-sort";
import javascriptNaturalSort from "javascript-natural-sort";
import naturalCompare from "natural-compare";
import { compare } from "natural-orderby";
import stringNaturalCompare from "string-natural-compare";
const row = (value) => ({ getValue: () => value });
const alphanumeric = (table.sortFns ?? table.sortingFns).alphanumeric;
const libraries = {
  Intl: new Intl.Collator("en", { numeric: true }).compare,
  TanStack: (a, b) => alphanumeric(row(a), row(b), "amount"),
  "natural-compare": naturalCompare,
  "string-natural-compare": stringNaturalCompare,
  "alphanumeric-sort": alphanumericSort.compare,
  "natural-orderby": compare(),
  "javascript-natural-sort": javascriptNaturalSort,
};
const lists = [
  ["1.10", "1.9", "10", "1.25"],
  ["-5", "3", "-10"],
  ["$9", "$1,200", "$10"],
  ["12345678901234567891", "12345678901234567890"],
];
for (const [name, order] of Object.entries(libraries)) console.log(`${name}: ${lists.map((list) => list.toSorted(order).join(" < ")).join(", ")}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'Intl: 1.9 < 1.10 < 1.25 < 10, -5 < -10 < 3, $1,200 < $9 < $10, 12345678901234567890 < 12345678901234567891
TanStack: 1.9 < 1.10 < 1.25 < 10, -5 < -10 < 3, $1,200 < $9 < $10, 12345678901234567891 < 12345678901234567890
natural-compare: 1.9 < 1.10 < 1.25 < 10, -5 < -10 < 3, $1,200 < $9 < $10, 12345678901234567891 < 12345678901234567890
string-natural-compare: 1.9 < 1.10 < 1.25 < 10, -5 < -10 < 3, $1,200 < $9 < $10, 12345678901234567890 < 12345678901234567891
alphanumeric-sort: 1.9 < 1.10 < 1.25 < 10, -5 < -10 < 3, $1,200 < $9 < $10, 12345678901234567890 < 12345678901234567891
natural-orderby: 1.10 < 1.25 < 1.9 < 10, -10 < -5 < 3, $1,200 < $9 < $10, 12345678901234567891 < 12345678901234567890
javascript-natural-sort: 1.10 < 1.25 < 1.9 < 10, -10 < -5 < 3, $1,200 < $9 < $10, 12345678901234567891 < 12345678901234567890' ]
