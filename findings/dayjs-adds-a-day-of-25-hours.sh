#!/usr/bin/env bash
# Noon in Berlin on 28 March, the day before the clocks go forward, plus one day, and the first of March and of October at midnight plus one month.
# Expected: the same time of day, at the offset of the new day, from each of the four.
# Seen on 2026-11-29: dayjs 1.11.23 with its plugin `timezone` keeps the time of day and the offset of the day before: 12:00+01:00 where Berlin has +02:00. That
# instant is 13:00 in Berlin, so whatever is stored or sent of it (`toISOString()`, `valueOf()`) is an hour off, and a period "until 1 April" charges
# an hour of April. luxon 3.7.2, moment-timezone 0.6.6 and date-fns 4.4.0 with @date-fns/tz 1.5.0 have the new offset.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts dayjs@1.11.23 luxon@3.7.2 moment-timezone@0.6.6 moment@2.31.0 date-fns@4.4.0 @date-fns/tz@1.5.0
cat > seen.mjs <<'JS'
import { TZDate } from "@date-fns/tz";
import { add } from "date-fns";
import dayjs from "dayjs";
import timezone from "dayjs/plugin/timezone.js";
import utc from "dayjs/plugin/utc.js";
import { DateTime } from "luxon";
import moment from "moment-timezone";
dayjs.extend(utc);
dayjs.extend(timezone);
const zone = "Europe/Berlin";
const libraries = {
  dayjs: (day, unit) => dayjs.tz(day, zone).add(1, unit).format(),
  luxon: (day, unit) => DateTime.fromISO(day, { zone }).plus({ [unit]: 1 }).toISO({ suppressMilliseconds: true }),
  "moment-timezone": (day, unit) => moment.tz(day, zone).add(1, unit).format(),
  "date-fns": (day, unit) => {
    const [year, month, date, hour] = day.match(/\d+/g).map(Number);
    return add(new TZDate(year, month - 1, date, hour, zone), { [`${unit}s`]: 1 }).toISOString().replace(".000", "");
  },
};
const starts = [["2026-03-28T12:00", "day"], ["2026-03-01T00:00", "month"], ["2026-10-01T00:00", "month"]];
for (const [name, next] of Object.entries(libraries)) console.log(`${name}: ${starts.map((start) => next(...start)).join(" ")}`);
JS
seen=$(TZ=UTC node seen.mjs)
echo "$seen"
[ "$seen" = 'dayjs: 2026-03-29T12:00:00+01:00 2026-04-01T00:00:00+01:00 2026-11-01T00:00:00+02:00
luxon: 2026-03-29T12:00:00+02:00 2026-04-01T00:00:00+02:00 2026-11-01T00:00:00+01:00
moment-timezone: 2026-03-29T12:00:00+02:00 2026-04-01T00:00:00+02:00 2026-11-01T00:00:00+01:00
date-fns: 2026-03-29T12:00:00+02:00 2026-04-01T00:00:00+02:00 2026-11-01T00:00:00+01:00' ]
