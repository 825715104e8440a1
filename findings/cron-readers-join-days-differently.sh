#!/usr/bin/env bash
# `0 0 1 * 1`, at midnight on the first of the month and on Mondays, read by five schedulers.
# Expected: as cron(8) has it, where either field is enough when both are given: each Monday and each first of a month.
# Seen on 2026-11-29: croner 11.0.0, cron-parser 5.10.5 and cron 4.4.0 do so. node-cron 4.6.0 and @breejs/later 4.2.0 want both, so the
# job runs on Mondays that are the first of a month, about twice a year instead of 62 times. All take the expression without a word. And
# @breejs/later leaves Sundays out of `5-7`, which the others read as Friday to Sunday.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts croner@11.0.0 cron-parser@5.10.5 cron@4.4.0 node-cron@4.6.0 @breejs/later@4.2.0
cat > seen.mjs <<'JS'
import later from "@breejs/later";
import { CronTime } from "cron";
import { CronExpressionParser } from "cron-parser";
import { Cron } from "croner";
import nodeCron from "node-cron";
// From now on, because node-cron counts from the present.
const start = new Date();
const times = (count, next) => Array.from({ length: count }, next);
const schedulers = {
  croner: (line) => new Cron(line, { timezone: "UTC", paused: true }).nextRuns(60, start),
  "cron-parser"(line) {
    const runs = CronExpressionParser.parse(line, { currentDate: start, tz: "UTC" });
    return times(60, () => runs.next().toDate());
  },
  cron(line) {
    const time = new CronTime(line, "UTC");
    let last = start;
    return times(60, () => (last = time.getNextDateFrom(last, "UTC").toJSDate()));
  },
  "node-cron": (line) => nodeCron.createTask(line, () => {}, { timezone: "UTC" }).getNextRuns(60),
  "@breejs/later": (line) => later.schedule(later.parse.cron(line)).next(60, start),
};
const dayOf = (date) => "SMTWTFS"[date.getUTCDay()];
const isWanted = (date) => date.getUTCDay() === 1 || date.getUTCDate() === 1;
for (const [name, runs] of Object.entries(schedulers)) {
  const dates = runs("0 0 1 * 1").map((date) => new Date(date));
  const both = dates.filter((date) => date.getUTCDay() === 1 && date.getUTCDate() === 1).length;
  const rule = !dates.every(isWanted) ? "other days" : both === dates.length ? "both" : "either";
  const weekend = [...new Set(runs("0 0 * * 5-7").map((date) => new Date(date).getUTCDay()))].sort().join("");
  console.log(`${name}: ${rule}, 5-7 is ${weekend}`);
}
process.exit();
JS
seen=$(timeout 60 node seen.mjs)
echo "$seen"
[ "$seen" = 'croner: either, 5-7 is 056
cron-parser: either, 5-7 is 056
cron: either, 5-7 is 056
node-cron: both, 5-7 is 056
@breejs/later: both, 5-7 is 56' ]
