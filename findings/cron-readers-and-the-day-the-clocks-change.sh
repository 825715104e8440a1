#!/usr/bin/env bash
# Daily jobs in Berlin at 02:30 and at 03:00, on the nights when the clocks go forward (29 March 2026, no 02:30) and back (25 October, two of them).
# Expected: each job runs once in each night, as cron(8) takes care of; five schedulers with a time zone, on a simulated clock.
# Seen on 2026-11-29 (times in UTC): node-cron 4.6.0 leaves 02:30 out on 29 March, so a daily roll-up misses a day. cron 4.4.0 runs the job of 03:00 twice on 25 October, the
# first time an hour early, when clocks show 02:00 for the second time. croner 11.0.1, cron-parser 5.10.6 and node-schedule 2.1.1 run each once; for the 02:30 that is not
# there croner and cron take 03:00, the two others 03:30.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts croner@11.0.1 cron-parser@5.10.6 cron@4.4.0 node-cron@4.6.0 node-schedule@2.1.1 @sinonjs/fake-timers@15.5.0
cat > seen.mjs <<'JS'
import fakeTimers from "@sinonjs/fake-timers";
import { CronJob } from "cron";
import { CronExpressionParser } from "cron-parser";
import { Cron } from "croner";
import nodeCron from "node-cron";
import schedule from "node-schedule";
const zone = "Europe/Berlin";
const schedulers = {
  croner: (pattern, run) => new Cron(pattern, { timezone: zone }, run),
  cron: (pattern, run) => CronJob.from({ cronTime: pattern, onTick: run, start: true, timeZone: zone }),
  "node-cron": (pattern, run) => nodeCron.schedule(pattern, run, { timezone: zone }),
  "node-schedule": (pattern, run) => schedule.scheduleJob({ rule: pattern, tz: zone }, run),
};
const hours = (times) => times.map((time) => new Date(time).toISOString().slice(11, 16)).join(" ") || "never";
const [pattern, night] = process.argv.slice(2);
const start = Date.parse(night);
const seen = {};
const clock = fakeTimers.install({ now: start, toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval", "setImmediate", "clearImmediate"] });
for (const [library, plan] of Object.entries(schedulers)) {
  seen[library] = [];
  plan(pattern, () => seen[library].push(Date.now()));
}
for (let minute = 0; minute < 10 * 60; minute += 1) await clock.tickAsync(60_000);
clock.uninstall();
const planned = CronExpressionParser.parse(pattern, { tz: zone, currentDate: new Date(start) });
const next = () => planned.next().getTime();
seen["cron-parser"] = [];
for (let time = next(); time < start + 10 * 3_600_000; time = next()) seen["cron-parser"].push(time);
console.log(`${pattern}, ${night}: ${Object.entries(seen).map(([library, times]) => `${library} ${hours(times)}`).join(", ")}`);
process.exit();
JS
seen=$(
  for pattern in "30 2 * * *" "0 3 * * *"; do
    for night in 2026-03-28T21:00:00Z 2026-10-24T21:00:00Z; do TZ=UTC node seen.mjs "$pattern" "$night"; done
  done
)
echo "$seen"
[ "$seen" = '30 2 * * *, 2026-03-28T21:00:00Z: croner 01:00, cron 01:00, node-cron never, node-schedule 01:30, cron-parser 01:30
30 2 * * *, 2026-10-24T21:00:00Z: croner 00:30, cron 00:30, node-cron 01:30, node-schedule 00:30, cron-parser 00:30
0 3 * * *, 2026-03-28T21:00:00Z: croner 01:00, cron 01:00, node-cron 01:00, node-schedule 01:00, cron-parser 01:00
0 3 * * *, 2026-10-24T21:00:00Z: croner 02:00, cron 01:00 02:00, node-cron 02:00, node-schedule 02:00, cron-parser 02:00' ]
