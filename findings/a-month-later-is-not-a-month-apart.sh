#!/usr/bin/env bash
# A subscription starts on 31 January and is renewed a month later. How many months lie between the two days, for the library that added the month?
# Expected: one, in each of six libraries, since the second day is the first plus one month.
# Seen on 2026-11-29: date-fns 4.4.0, dayjs 1.11.23, luxon 3.7.2 and moment 2.31.0 say 1. temporal-polyfill 1.0.8 and @js-joda/core 6.3.2 say 0: both
# cut 31 February to the 28th when they add, and want the 31st when they count, so the first period is 28 days long and no month. A program that
# counts finished periods with `since`, `until` or `ChronoUnit.MONTHS.between` is one short for all who came on the 29th, 30th or 31st.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts date-fns@4.4.0 dayjs@1.11.23 luxon@3.7.2 moment@2.31.0 temporal-polyfill@1.0.8 @js-joda/core@6.3.2
cat > seen.mjs <<'JS'
import { ChronoUnit, LocalDate } from "@js-joda/core";
import { addMonths, differenceInMonths, parseISO } from "date-fns";
import dayjs from "dayjs";
import { DateTime } from "luxon";
import moment from "moment";
import { Temporal } from "temporal-polyfill";
const apart = {
  "date-fns": (day) => differenceInMonths(addMonths(parseISO(day), 1), parseISO(day)),
  dayjs: (day) => dayjs(day).add(1, "month").diff(day, "month"),
  luxon: (day) => DateTime.fromISO(day).plus({ months: 1 }).diff(DateTime.fromISO(day), "months").months,
  moment: (day) => moment(day).add(1, "month").diff(day, "month"),
  "temporal-polyfill": (day) => Temporal.PlainDate.from(day).add({ months: 1 }).since(day, { largestUnit: "month" }).months,
  "@js-joda/core": (day) => ChronoUnit.MONTHS.between(LocalDate.parse(day), LocalDate.parse(day).plusMonths(1)),
};
const days = ["2026-01-15", "2026-01-31", "2026-03-31", "2028-01-30"];
for (const [name, months] of Object.entries(apart)) console.log(`${name}: ${days.map((day) => `${day} ${months(day)}`).join(", ")}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'date-fns: 2026-01-15 1, 2026-01-31 1, 2026-03-31 1, 2028-01-30 1
dayjs: 2026-01-15 1, 2026-01-31 1, 2026-03-31 1, 2028-01-30 1
luxon: 2026-01-15 1, 2026-01-31 1, 2026-03-31 1, 2028-01-30 1
moment: 2026-01-15 1, 2026-01-31 1, 2026-03-31 1, 2028-01-30 1
temporal-polyfill: 2026-01-15 1, 2026-01-31 0, 2026-03-31 0, 2028-01-30 0
@js-joda/core: 2026-01-15 1, 2026-01-31 0, 2026-03-31 0, 2028-01-30 0' ]
