#!/usr/bin/env bash
# When was a key used last, how long did a call take? Times a little below the next unit, and 45 days, in the words of ten libraries: 59.9 seconds, 59.6 minutes, 23.9 hours, 45 and 364.9 days.
# Expected: 59 seconds or a minute, 59 minutes or an hour, 23 hours or a day, a month, 11 months or a year: whoever rounds up goes on to the next unit.
# Seen on 2026-11-29: ms 2.1.3, @lukeed/ms 2.0.2 and `formatDistanceStrict` of date-fns 4.4.0 say 60 seconds, 60 minutes and 24 hours. `formatDistance` says about 24 hours and 12 months, and two months for
# 45 days, where the others say one. `intlFormatDistance` says 4 quarters ago. pretty-ms 10.0.0, luxon 3.7.2 and timeago.js 4.0.2 round down, dayjs 1.11.23, moment 2.31.0, humanize-duration 3.35.1 and
# javascript-time-ago 2.6.4 go on to the next unit. So pages that mix two show one time as "23 hours ago" and "24h".
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts ms@2.1.3 @lukeed/ms@2.0.2 date-fns@4.4.0 pretty-ms@10.0.0 luxon@3.7.2 timeago.js@4.0.2 dayjs@1.11.23 moment@2.31.0 \
  humanize-duration@3.35.1 javascript-time-ago@2.6.4
cat > seen.mjs <<'JS'
import { format as lukeed } from "@lukeed/ms";
import { formatDistance, formatDistanceStrict, intlFormatDistance } from "date-fns";
import dayjs from "dayjs";
import relativeTime from "dayjs/plugin/relativeTime.js";
import humanize from "humanize-duration";
import TimeAgo from "javascript-time-ago";
import en from "javascript-time-ago/locale/en";
import { DateTime } from "luxon";
import moment from "moment";
import ms from "ms";
import prettyMs from "pretty-ms";
import { format as timeago } from "timeago.js";
dayjs.extend(relativeTime);
TimeAgo.addDefaultLocale(en);
const day = 24 * 60 * 60 * 1000;
const lengths = [59_900, 59.6 * 60_000, 23.9 * 3_600_000, 45 * day, 364.9 * day];
const now = new Date("2026-11-29T12:00:00Z");
const past = (length) => new Date(now.getTime() - length);
const libraries = {
  ms: (length) => ms(length),
  "@lukeed/ms": (length) => lukeed(length),
  "formatDistanceStrict of date-fns": (length) => formatDistanceStrict(past(length), now),
  "formatDistance of date-fns": (length) => formatDistance(past(length), now),
  "intlFormatDistance of date-fns": (length) => intlFormatDistance(past(length), now),
  "pretty-ms": (length) => prettyMs(length, { compact: true }),
  luxon: (length) => DateTime.fromJSDate(past(length)).toRelative({ base: DateTime.fromJSDate(now) }),
  "timeago.js": (length) => timeago(past(length), "en_US", { relativeDate: now }),
  dayjs: (length) => dayjs(past(length)).from(now),
  moment: (length) => moment(past(length)).from(now),
  "humanize-duration": (length) => humanize(length, { largest: 1, round: true }),
  "javascript-time-ago": (length) => new TimeAgo("en-US").format(past(length), { now: now.getTime() }),
};
for (const [name, say] of Object.entries(libraries)) console.log(`${name}: ${lengths.map(say).join(", ")}`);
JS
seen=$(TZ=UTC node seen.mjs)
echo "$seen"
[ "$seen" = 'ms: 60s, 60m, 24h, 45d, 365d
@lukeed/ms: 60s, 60m, 24h, 45d, 365d
formatDistanceStrict of date-fns: 60 seconds, 60 minutes, 24 hours, 2 months, 1 year
formatDistance of date-fns: 1 minute, about 1 hour, about 24 hours, about 2 months, 12 months
intlFormatDistance of date-fns: 59 seconds ago, 59 minutes ago, yesterday, last month, 4 quarters ago
pretty-ms: 59s, 59m, 23h, 45d, 364d
luxon: 59 seconds ago, 59 minutes ago, 23 hours ago, 1 month ago, 11 months ago
timeago.js: 59 seconds ago, 59 minutes ago, 23 hours ago, 1 month ago, 11 months ago
dayjs: a minute ago, an hour ago, a day ago, a month ago, a year ago
moment: a minute ago, an hour ago, a day ago, a month ago, a year ago
humanize-duration: 1 minute, 1 hour, 1 day, 1 month, 1 year
javascript-time-ago: 1 minute ago, 1 hour ago, 1 day ago, 1 month ago, 1 year ago' ]
