#!/usr/bin/env bash
# An integer field of InfluxDB's line protocol is written by @influxdata/influxdb-client 1.35.0: `intField("credits", …)` and `uintField`, from a bigint, from texts, and from a fraction.
# Expected: the number, or an error where there is none: a field of 64 bits and a bigint were made for each other.
# Seen on 2026-11-30: intField reads a bigint and a text as a double and writes 9007199254740992 for 9007199254740993. It takes the digits at the beginning of a
# text: `1e3` is 1, `5 credits` is 5. uintField writes the bigint and the text of digits exactly and refuses both other texts.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @influxdata/influxdb-client@1.35.0
cat > seen.mjs <<'JS'
import { Point } from "@influxdata/influxdb-client";
for (const value of [9007199254740993n, "9007199254740993", "1e3", "5 credits", 1.5])
  for (const method of ["intField", "uintField"]) {
    let line = "an error";
    try {
      line = new Point("calls")[method]("credits", value).timestamp(1).toLineProtocol();
    } catch {}
    console.log(`${method} ${typeof value} ${value}: ${line}`);
  }
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'intField bigint 9007199254740993: calls credits=9007199254740992i 1
uintField bigint 9007199254740993: calls credits=9007199254740993u 1
intField string 9007199254740993: calls credits=9007199254740992i 1
uintField string 9007199254740993: calls credits=9007199254740993u 1
intField string 1e3: calls credits=1i 1
uintField string 1e3: an error
intField string 5 credits: calls credits=5i 1
uintField string 5 credits: an error
intField number 1.5: calls credits=1i 1
uintField number 1.5: calls credits=1u 1' ]
