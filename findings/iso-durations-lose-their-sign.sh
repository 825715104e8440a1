#!/usr/bin/env bash
# ISO 8601 durations that move a date backwards or have a decimal comma, `-P1M`, `-P7D` and `PT1,5S`, in seconds, read by five libraries.
# Expected: a negative number of seconds, and 1.5, or an error.
# Seen on 2026-11-29: dayjs 1.11.23 and iso8601-duration 2.1.4 leave the minus out, so what was to be seven days earlier is seven days later; dayjs reads
# `PT1,5S`, which ISO 8601 allows, as no time at all. tinyduration 3.4.1, luxon 3.7.2 and moment 2.31.0 keep both.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts dayjs@1.11.23 iso8601-duration@2.1.4 tinyduration@3.4.1 luxon@3.7.2 moment@2.31.0
cat > seen.mjs <<'JS'
import dayjs from "dayjs";
import duration from "dayjs/plugin/duration.js";
import { parse, toSeconds } from "iso8601-duration";
import { Duration } from "luxon";
import moment from "moment";
import { parse as tiny } from "tinyduration";
dayjs.extend(duration);
const libraries = {
  dayjs: (text) => dayjs.duration(text).asSeconds(),
  "iso8601-duration": (text) => toSeconds(parse(text)),
  tinyduration: (text) => {
    const { negative, months = 0, days = 0, seconds = 0 } = tiny(text);
    return (negative ? -1 : 1) * (months * 2_592_000 + days * 86_400 + seconds);
  },
  luxon: (text) => Duration.fromISO(text).as("seconds"),
  moment: (text) => moment.duration(text).asSeconds(),
};
for (const [name, seconds] of Object.entries(libraries)) console.log(`${name}: ${["-P1M", "-P7D", "PT1,5S"].map((text) => seconds(text)).join(" ")}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'dayjs: 2628000 604800 0
iso8601-duration: 2592000 604800 1.5
tinyduration: -2592000 -604800 1.5
luxon: -2592000 -604800 1.5
moment: -2592000 -604800 1.5' ]
