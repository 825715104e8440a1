#!/usr/bin/env bash
# When does a day begin in a customer's time zone, for usage per day? Noon in Berlin on 25 October 2026, in New York on 1 November, in Cairo on 24 April, which begins at 01:00 as clocks go forward at midnight; and the month of noon in
# Kathmandu on 29 November. Seven libraries, in a process in UTC and in one in Los Angeles.
# Expected: 24 October 22:00, 1 November 04:00, 23 April 22:00, 31 October 18:15 (UTC) from each, whatever the zone of the process is.
# Seen on 2026-11-29: dayjs 1.11.23 with its plugin depends on the process: in Los Angeles the day of Berlin begins an hour late, that of New York two hours, and so does the whole November of Kathmandu; in Cairo it is an hour
# early in both. spacetime 7.15.0 returns noon itself as the start of the day in Cairo. luxon 3.7.2, moment-timezone 0.6.6, @date-fns/tz 1.5.0 with date-fns 4.4.0, temporal-polyfill 1.0.8 and @js-joda/core 6.3.2 are right.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts dayjs@1.11.23 spacetime@7.15.0 luxon@3.7.2 moment-timezone@0.6.6 @date-fns/tz@1.5.0 date-fns@4.4.0 \
  temporal-polyfill@1.0.8 @js-joda/core@6.3.2 @js-joda/timezone@2.25.2
cat > seen.mjs <<'JS'
import { TZDate } from "@date-fns/tz";
import { Instant, ZonedDateTime, ZoneId } from "@js-joda/core";
import "@js-joda/timezone";
import { startOfDay, startOfMonth } from "date-fns";
import dayjs from "dayjs";
import timezone from "dayjs/plugin/timezone.js";
import utc from "dayjs/plugin/utc.js";
import { DateTime } from "luxon";
import moment from "moment-timezone";
import spacetime from "spacetime";
import { Temporal } from "temporal-polyfill";
dayjs.extend(utc);
dayjs.extend(timezone);
const libraries = {
  dayjs: (noon, zone, unit) => dayjs(noon).tz(zone).startOf(unit),
  spacetime: (noon, zone, unit) => spacetime(noon.getTime(), zone).startOf(unit).epoch,
  luxon: (noon, zone, unit) => DateTime.fromJSDate(noon, { zone }).startOf(unit),
  "moment-timezone": (noon, zone, unit) => moment(noon).tz(zone).startOf(unit),
  "@date-fns/tz": (noon, zone, unit) => (unit === "day" ? startOfDay : startOfMonth)(new TZDate(noon, zone)),
  "temporal-polyfill": (noon, zone, unit) => {
    const time = Temporal.Instant.from(noon.toISOString()).toZonedDateTimeISO(zone);
    return (unit === "day" ? time : time.with({ day: 1 })).startOfDay().epochMilliseconds;
  },
  "@js-joda/core": (noon, zone, unit) => {
    const day = ZonedDateTime.ofInstant(Instant.parse(noon.toISOString()), ZoneId.of(zone)).toLocalDate();
    return (unit === "day" ? day : day.withDayOfMonth(1)).atStartOfDay(ZoneId.of(zone)).toInstant().toEpochMilli();
  },
};
const cases = [
  ["2026-10-25T11:00:00Z", "Europe/Berlin", "day", "2026-10-24T22:00:00.000Z"],
  ["2026-11-01T17:00:00Z", "America/New_York", "day", "2026-11-01T04:00:00.000Z"],
  ["2026-04-24T09:00:00Z", "Africa/Cairo", "day", "2026-04-23T22:00:00.000Z"],
  ["2026-11-29T06:15:00Z", "Asia/Kathmandu", "month", "2026-10-31T18:15:00.000Z"],
];
for (const [name, start] of Object.entries(libraries)) {
  const wrong = cases.flatMap(([noon, zone, unit, expected]) => {
    const seen = new Date(Number(start(new Date(noon), zone, unit))).toISOString();
    return seen === expected ? [] : [`${zone} ${seen.slice(0, 16)}`];
  });
  console.log(`${process.env.TZ}, ${name}: ${wrong.join(", ") || "right"}`);
}
JS
seen=$(for zone in UTC America/Los_Angeles; do TZ=$zone node seen.mjs; done)
echo "$seen"
[ "$seen" = 'UTC, dayjs: Africa/Cairo 2026-04-23T21:00
UTC, spacetime: Africa/Cairo 2026-04-24T09:00
UTC, luxon: right
UTC, moment-timezone: right
UTC, @date-fns/tz: right
UTC, temporal-polyfill: right
UTC, @js-joda/core: right
America/Los_Angeles, dayjs: Europe/Berlin 2026-10-24T23:00, America/New_York 2026-11-01T06:00, Africa/Cairo 2026-04-23T21:00, Asia/Kathmandu 2026-10-31T19:15
America/Los_Angeles, spacetime: Africa/Cairo 2026-04-24T09:00
America/Los_Angeles, luxon: right
America/Los_Angeles, moment-timezone: right
America/Los_Angeles, @date-fns/tz: right
America/Los_Angeles, temporal-polyfill: right
America/Los_Angeles, @js-joda/core: right' ]
