#!/usr/bin/env bash
# A count of 9007199254740993 credits, as `Long` and as bigint, goes through Extended JSON (`EJSON`) of bson 7.3.4 and back; and through BSON itself, with a bigint of 65 bits and a Date that is none.
# Expected: the same count, since Extended JSON exists to keep the types of BSON; an error for what has no place in 64 bits or is no time.
# Seen on 2026-11-30: with its defaults EJSON writes and reads another number, 9007199254740992, also from `{"$numberLong":"9007199254740993"}`. `{ relaxed: false }`
# for both keeps it. serialize() writes 2n ** 64n + 5n as 5, and an invalid Date as 1 January 1970.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts bson@7.3.4
cat > seen.mjs <<'JS'
import { deserialize, EJSON, Long, serialize } from "bson";
const count = "9007199254740993";
console.log(`a Long is written as ${EJSON.stringify({ credits: Long.fromString(count) })}`);
console.log(`a bigint is written as ${EJSON.stringify({ credits: BigInt(count) })}`);
console.log(`$numberLong is read as ${EJSON.parse(`{"credits":{"$numberLong":"${count}"}}`).credits}`);
const exact = EJSON.stringify({ credits: Long.fromString(count) }, { relaxed: false });
console.log(`not relaxed: ${exact}, read as ${EJSON.parse(exact, { relaxed: false }).credits}`);
console.log(`BSON of 9007199254740993n: ${deserialize(serialize({ credits: BigInt(count) })).credits}`);
console.log(`BSON of 2n ** 64n + 5n: ${deserialize(serialize({ credits: 2n ** 64n + 5n })).credits}`);
console.log(`BSON of an invalid Date: ${deserialize(serialize({ at: new Date(NaN) })).at.toISOString()}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'a Long is written as {"credits":9007199254740992}
a bigint is written as {"credits":9007199254740992}
$numberLong is read as 9007199254740992
not relaxed: {"credits":{"$numberLong":"9007199254740993"}}, read as 9007199254740993
BSON of 9007199254740993n: 9007199254740993
BSON of 2n ** 64n + 5n: 5
BSON of an invalid Date: 1970-01-01T00:00:00.000Z' ]
