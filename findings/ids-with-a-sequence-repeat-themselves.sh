#!/usr/bin/env bash
# Ids in the manner of Snowflake, a time in milliseconds, a machine and a sequence, from seven libraries: 10,000 on a simulated clock that goes on by a millisecond for each 5,000 looks at it. Are they different, and ascending?
# Expected: yes: when the sequence of a millisecond (4,096) is used up, the next one is waited for, or there is an error.
# Seen on 2026-11-29: @sapphire/snowflake 3.5.5 and snowyflake 2.0.1 begin the sequence again within the same millisecond and hand out 1,800 ids a second time; snowflake-id 1.1.0 waits and repeats two. @theinternetfolks/snowflake 1.3.0 has
# no sequence but a random number of ten bits, so ids repeat and half of them are smaller than the one before, on any machine. flake-idgen 1.4.0 throws, nodejs-snowflake 2.0.1 and simple-flakeid 0.0.5 are right.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @sapphire/snowflake@3.5.5 snowyflake@2.0.1 snowflake-id@1.1.0 @theinternetfolks/snowflake@1.3.0 \
  flake-idgen@1.4.0 nodejs-snowflake@2.0.1 simple-flakeid@0.0.5
cat > seen.mjs <<'JS'
import { Snowflake as Sapphire } from "@sapphire/snowflake";
import { Snowflake as Internet } from "@theinternetfolks/snowflake";
import FlakeId from "flake-idgen";
import { Snowflake } from "nodejs-snowflake";
import { SnowflakeIdv1 } from "simple-flakeid";
import snowflakeId from "snowflake-id";
import { Snowyflake } from "snowyflake";
const began = Date.now();
let looks = 0;
Date.now = () => began + Math.floor(looks++ / 5_000);
const libraries = {
  "@sapphire/snowflake": () => {
    const ids = new Sapphire(began - 1_000);
    return () => ids.generate();
  },
  snowyflake: () => {
    const ids = new Snowyflake({ workerId: 1n });
    return () => ids.nextId();
  },
  "snowflake-id": () => {
    const ids = new (snowflakeId.default ?? snowflakeId)({ mid: 1, offset: 0 });
    return () => ids.generate();
  },
  "@theinternetfolks/snowflake": () => () => Internet.generate(),
  "flake-idgen": () => {
    const ids = new FlakeId();
    return () => ids.next().readBigUInt64BE();
  },
  "nodejs-snowflake": () => {
    const ids = new Snowflake({ custom_epoch: began - 1_000, instance_id: 1 });
    return () => ids.getUniqueID();
  },
  "simple-flakeid": () => {
    const ids = new SnowflakeIdv1({ workerId: 1 });
    return () => ids.NextId();
  },
};
for (const [name, begin] of Object.entries(libraries)) {
  looks = 0;
  try {
    const next = begin();
    const ids = Array.from({ length: 10_000 }, () => BigInt(next()));
    const repeated = ids.length - new Set(ids).size;
    const smaller = ids.filter((id, index) => index > 0 && id < ids[index - 1]).length;
    const much = (count) => (count === 0 ? "none" : count < 1_000 ? "some" : "thousands");
    console.log(`${name}: repeated ${much(repeated)}, smaller than the one before ${much(smaller)}`);
  } catch {
    console.log(`${name}: an error`);
  }
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = '@sapphire/snowflake: repeated thousands, smaller than the one before some
snowyflake: repeated thousands, smaller than the one before some
snowflake-id: repeated some, smaller than the one before some
@theinternetfolks/snowflake: repeated some, smaller than the one before thousands
flake-idgen: an error
nodejs-snowflake: repeated none, smaller than the one before none
simple-flakeid: repeated none, smaller than the one before none' ]
