#!/usr/bin/env bash
# The end of a billing period, `2026-11-30T23:59:59.999999999Z`, as programs in Go write the last nanosecond of a month; and `2026-11-30 23:59:59.123456+00`, as PostgreSQL writes a time. Nine readers, in UTC.
# Expected: 30 November, 23:59:59.999, from each: what a Date cannot hold is cut, as `new Date` does; and the second, or an error, since it is not ISO 8601.
# Seen on 2026-11-29: `parseISO` of date-fns 4.4.0 rounds, so the period ends on 1 December, and a call of that day is in two periods. dayjs 1.11.23, luxon 3.7.2, moment 2.31.0, temporal-polyfill 1.0.8, @js-joda/core 6.3.2, spacetime 7.15.0 and
# arktype 2.2.10 cut. luxon, @js-joda/core and arktype do not read the second; date-fns does.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts date-fns@4.4.0 dayjs@1.11.23 luxon@3.7.2 moment@2.31.0 temporal-polyfill@1.0.8 @js-joda/core@6.3.2 \
  spacetime@7.15.0 arktype@2.2.10
cat > seen.mjs <<'JS'
import { Instant } from "@js-joda/core";
import { type } from "arktype";
import { parseISO } from "date-fns";
import dayjs from "dayjs";
import { DateTime } from "luxon";
import moment from "moment";
import spacetime from "spacetime";
import { Temporal } from "temporal-polyfill";
const readers = {
  Date: (text) => new Date(text),
  "date-fns": (text) => parseISO(text),
  dayjs: (text) => dayjs(text),
  luxon: (text) => DateTime.fromISO(text),
  moment: (text) => moment(text, moment.ISO_8601),
  "temporal-polyfill": (text) => Temporal.Instant.from(text).epochMilliseconds,
  "@js-joda/core": (text) => Instant.parse(text).toEpochMilli(),
  spacetime: (text) => spacetime(text).epoch,
  arktype: (text) => type("string.date.iso.parse").assert(text),
};
for (const [name, read] of Object.entries(readers)) {
  const seen = ["2026-11-30T23:59:59.999999999Z", "2026-11-30 23:59:59.123456+00"].map((text) => {
    try {
      return new Date(Number(read(text))).toISOString();
    } catch {
      return "an error";
    }
  });
  console.log(`${name}: ${seen.join(", ")}`);
}
JS
seen=$(TZ=UTC node seen.mjs)
echo "$seen"
[ "$seen" = 'Date: 2026-11-30T23:59:59.999Z, 2026-11-30T23:59:59.123Z
date-fns: 2026-12-01T00:00:00.000Z, 2026-11-30T23:59:59.123Z
dayjs: 2026-11-30T23:59:59.999Z, 2026-11-30T23:59:59.123Z
luxon: 2026-11-30T23:59:59.999Z, an error
moment: 2026-11-30T23:59:59.999Z, 2026-11-30T23:59:59.123Z
temporal-polyfill: 2026-11-30T23:59:59.999Z, 2026-11-30T23:59:59.123Z
@js-joda/core: 2026-11-30T23:59:59.999Z, an error
spacetime: 2026-11-30T23:59:59.999Z, 2026-11-30T23:59:59.123Z
arktype: 2026-11-30T23:59:59.999Z, an error' ]
