#!/usr/bin/env bash
# Cron lines as people write them, in five libraries: the next four runs after Sunday, 29 November 2026, 12:00 UTC, of `5/15 * * * *`, `0 9 * * fri-sun`, `0 9 * * 1#1`
# (the first Monday), `0 9 * * 5L` (the last Friday) and `0 0 29 2 *`. cronstrue 3.39.0 says in words what the line means.
# Expected: what cronstrue says, or an error for what a library does not know; and 29 February is found, if it takes until 2028.
# Seen on 2026-11-29: cron-schedule 6.0.0 takes the number at the beginning and leaves out the rest: `5/15` runs at minute 5 alone, `1#1` every Monday, `5L` every Friday. cronosjs 1.7.1 does what cronstrue says. cron 4.4.0 throws for 29
# February, "No execution date was found", and like cron-parser 5.10.6 refuses `fri-sun`, which both take as `5-7`. croner 11.0.1 refuses `5/15`.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts cron-parser@5.10.6 croner@11.0.1 cron@4.4.0 cron-schedule@6.0.0 cronosjs@1.7.1 cronstrue@3.39.0
cat > seen.mjs <<'JS'
import { CronTime } from "cron";
import { CronExpressionParser } from "cron-parser";
import { parseCronExpression } from "cron-schedule";
import { Cron } from "croner";
import { CronosExpression } from "cronosjs";
import cronstrue from "cronstrue";
const from = new Date("2026-11-29T12:00:00Z");
const libraries = {
  "cron-parser": (line) => {
    const expression = CronExpressionParser.parse(line, { currentDate: from, tz: "UTC" });
    return Array.from({ length: 4 }, () => expression.next().toDate());
  },
  croner: (line) => new Cron(line, { timezone: "UTC" }).nextRuns(4, from),
  cron: (line) => {
    const time = new CronTime(line, "UTC");
    const runs = [from];
    while (runs.length < 5) runs.push(time.getNextDateFrom(runs.at(-1), "UTC").toJSDate());
    return runs.slice(1);
  },
  "cron-schedule": (line) => parseCronExpression(line).getNextDates(4, from),
  cronosjs: (line) => CronosExpression.parse(line, { timezone: "UTC" }).nextNDates(from, 4),
};
for (const line of ["5/15 * * * *", "0 9 * * fri-sun", "0 9 * * 1#1", "0 9 * * 5L", "0 0 29 2 *"]) {
  console.log(`${line}: ${cronstrue.toString(line)}`);
  for (const [name, next] of Object.entries(libraries)) {
    let seen = "an error";
    try {
      seen = next(line)
        .map((date) => (line.startsWith("5/") ? date.toISOString().slice(11, 16) : date.toISOString().slice(0, 10)))
        .join(" ");
    } catch {}
    console.log(`  ${name}: ${seen}`);
  }
}
JS
seen=$(TZ=UTC node seen.mjs)
echo "$seen"
[ "$seen" = '5/15 * * * *: Every 15 minutes, starting at 5 minutes past the hour
  cron-parser: 12:05 12:20 12:35 12:50
  croner: an error
  cron: 12:05 12:20 12:35 12:50
  cron-schedule: 12:05 13:05 14:05 15:05
  cronosjs: 12:05 12:20 12:35 12:50
0 9 * * fri-sun: At 09:00 AM, Friday through Sunday
  cron-parser: an error
  croner: 2026-12-04 2026-12-05 2026-12-06 2026-12-11
  cron: an error
  cron-schedule: 2026-12-04 2026-12-05 2026-12-06 2026-12-11
  cronosjs: 2026-12-04 2026-12-05 2026-12-06 2026-12-11
0 9 * * 1#1: At 09:00 AM, on the first Monday of the month
  cron-parser: 2026-12-07 2027-01-04 2027-02-01 2027-03-01
  croner: 2026-12-07 2027-01-04 2027-02-01 2027-03-01
  cron: an error
  cron-schedule: 2026-11-30 2026-12-07 2026-12-14 2026-12-21
  cronosjs: 2026-12-07 2027-01-04 2027-02-01 2027-03-01
0 9 * * 5L: At 09:00 AM, on the last Friday of the month
  cron-parser: 2026-12-25 2027-01-29 2027-02-26 2027-03-26
  croner: 2026-12-25 2027-01-29 2027-02-26 2027-03-26
  cron: an error
  cron-schedule: 2026-12-04 2026-12-11 2026-12-18 2026-12-25
  cronosjs: 2026-12-25 2027-01-29 2027-02-26 2027-03-26
0 0 29 2 *: At 12:00 AM, on day 29 of the month, only in February
  cron-parser: 2028-02-29 2032-02-29 2036-02-29 2040-02-29
  croner: 2028-02-29 2032-02-29 2036-02-29 2040-02-29
  cron: an error
  cron-schedule: 2028-02-29 2032-02-29 2036-02-29 2040-02-29
  cronosjs: 2028-02-29 2032-02-29 2036-02-29 2040-02-29' ]
