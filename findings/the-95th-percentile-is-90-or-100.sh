#!/usr/bin/env bash
# Ten calls took 10, 20, … 100 ms. What are the 95th percentile, by which some services charge for bandwidth and which stands in most promises of speed, the 90th, and the median? Nine libraries and PostgreSQL 18 (PGlite 0.5.14).
# Expected: two definitions: 95.5, 91 and 55 with interpolation, as in spreadsheets, or 100, 90 and 50, values that were there.
# Seen on 2026-11-29: five answers. simple-statistics 7.12.1, d3-array 3.2.5, mathjs 15.2.0, just-percentile 4.2.0 and `percentile_cont` say the first, percentile 1.6.0, stats-percentile 3.3.0 and `percentile_disc` the second. jstat 1.9.6 says 90 for the 95th, the
# lowest, stats-lite 2.2.0 95 for the 90th, and fast-stats 0.0.7 100 for both. just-percentile sorts the list that it is given, so an order of time is lost.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts simple-statistics@7.12.1 percentile@1.6.0 stats-percentile@3.3.0 d3-array@3.2.5 \
  mathjs@15.2.0 stats-lite@2.2.0 just-percentile@4.2.0 jstat@1.9.6 fast-stats@0.0.7 @electric-sql/pglite@0.5.14
cat > seen.mjs <<'JS'
import { PGlite } from "@electric-sql/pglite";
import { quantile as d3 } from "d3-array";
import fastStats from "fast-stats";
import jstat from "jstat";
import just from "just-percentile";
import { quantileSeq } from "mathjs";
import percentile from "percentile";
import { quantile } from "simple-statistics";
import lite from "stats-lite";
import statsPercentile from "stats-percentile";
const db = await PGlite.create();
const inPostgres = async (name, list, p) => (await db.query(`SELECT ${name}(${p}) WITHIN GROUP (ORDER BY time) AS v FROM unnest(ARRAY[${list}]) AS time`)).rows[0].v;
const libraries = {
  "simple-statistics": (list, p) => quantile(list, p),
  "d3-array": (list, p) => d3(list, p),
  mathjs: (list, p) => quantileSeq(list, p),
  "just-percentile": (list, p) => just(list, p),
  percentile_cont: (list, p) => inPostgres("percentile_cont", list, p),
  percentile_disc: (list, p) => inPostgres("percentile_disc", list, p),
  percentile: (list, p) => percentile(p * 100, list),
  "stats-percentile": (list, p) => statsPercentile(list, p * 100),
  "stats-lite": (list, p) => lite.percentile(list, p),
  "fast-stats": (list, p) => new fastStats.Stats().push(...list).percentile(p * 100),
  jstat: (list, p) => jstat.percentile(list, p),
};
const round = (value) => Number(value.toFixed(6));
for (const [name, of] of Object.entries(libraries)) {
  const times = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100];
  const list = [9, 100, 20];
  await of(list, 0.5);
  console.log(`${name}: ${round(await of(times, 0.95))}, ${round(await of(times, 0.9))}, ${round(await of(times, 0.5))}${list.join() === "9,100,20" ? "" : ", and sorts the list of the caller"}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'simple-statistics: 95.5, 91, 55
d3-array: 95.5, 91, 55
mathjs: 95.5, 91, 55
just-percentile: 95.5, 91, 55, and sorts the list of the caller
percentile_cont: 95.5, 91, 55
percentile_disc: 100, 90, 50
percentile: 100, 90, 50
stats-percentile: 100, 90, 50
stats-lite: 100, 95, 55
fast-stats: 100, 100, 55
jstat: 90, 90, 55' ]
