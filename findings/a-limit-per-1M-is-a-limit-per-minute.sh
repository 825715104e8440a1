#!/usr/bin/env bash
# Periods and time limits as people write them into settings: `1M`, `1mo`, `1,5h`, `-1h`, read by four libraries.
# Expected: `1M` is a month, since `m` is the minute, or is refused; `1,5h` is an hour and a half, or is refused; the minus is kept, or refused.
# Seen on 2026-11-29: ms 2.1.3, @lukeed/ms 2.0.2, parse-duration 2.1.9 and timestring 7.0.0 all read `1M` as a minute, without regard to case, so a quota "per 1M"
# starts again each minute. parse-duration and timestring leave a comma out: `1,5h` is 15 hours. timestring leaves the minus out. The two named
# ms return undefined for what they do not know, `1mo` too, which as the delay of a timer is none.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts ms@2.1.3 @lukeed/ms@2.0.2 parse-duration@2.1.9 timestring@7.0.0
cat > seen.mjs <<'JS'
import { parse as lukeed } from "@lukeed/ms";
import ms from "ms";
import parseDuration from "parse-duration";
import timestring from "timestring";
const seconds = {
  ms: (text) => ms(text) / 1_000,
  "@lukeed/ms": (text) => lukeed(text) / 1_000,
  "parse-duration": (text) => parseDuration(text) / 1_000,
  timestring: (text) => timestring(text),
};
const read = (parse, text) => {
  try {
    return parse(text);
  } catch {
    return "an error";
  }
};
for (const text of ["1m", "1M", "1mo", "1,5h", "-1h"]) {
  console.log(`${text}: ${Object.entries(seconds).map(([name, parse]) => `${name} ${read(parse, text)}`).join(", ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = '1m: ms 60, @lukeed/ms 60, parse-duration 60, timestring 60
1M: ms 60, @lukeed/ms 60, parse-duration 60, timestring 60
1mo: ms NaN, @lukeed/ms NaN, parse-duration 2629800, timestring an error
1,5h: ms NaN, @lukeed/ms NaN, parse-duration 54000, timestring 54000
-1h: ms -3600, @lukeed/ms -3600, parse-duration -3600, timestring 3600' ]
