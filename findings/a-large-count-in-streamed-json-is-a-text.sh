#!/usr/bin/env bash
# A report of usage, `{"rows":[{"credits":9007199254740991},{"credits":9007199254740993},{"credits":0.12345678901234567890}]}`, is read as it arrives, by four readers of JSON.
# Expected: numbers, as JSON.parse returns them, or an error, or an option for exact numbers.
# Seen on 2026-11-30: jsonparse 1.3.1, and with it JSONStream 1.3.5, hands out the second count as the text "9007199254740993" and the others as numbers: the type of a member
# depends on its size, and a sum of the rows joins texts. @streamparser/json 0.0.26 and @discoveryjs/json-ext 1.1.0 return what JSON.parse does, 9007199254740992.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts jsonparse@1.3.1 JSONStream@1.3.5 @streamparser/json@0.0.26 @discoveryjs/json-ext@1.1.0
cat > seen.mjs <<'JS'
import { once } from "node:events";
import { Readable } from "node:stream";
import { parseChunked } from "@discoveryjs/json-ext";
import { JSONParser } from "@streamparser/json";
import JSONStream from "JSONStream";
import JsonParse from "jsonparse";
const text = '{"rows":[{"credits":9007199254740991},{"credits":9007199254740993},{"credits":0.12345678901234567890}]}';
const readers = {
  "JSON.parse": () => JSON.parse(text).rows,
  "@discoveryjs/json-ext": async () => (await parseChunked(Readable.from([text]))).rows,
  "@streamparser/json": () => {
    const rows = [];
    const parser = new JSONParser({ paths: ["$.rows.*"] });
    parser.onValue = ({ value }) => rows.push(value);
    parser.write(text);
    return rows;
  },
  jsonparse: () => {
    let rows;
    const parser = new JsonParse();
    parser.onValue = function (value) {
      if (this.key === "rows") rows = value;
    };
    parser.write(text);
    return rows;
  },
  JSONStream: async () => {
    const rows = [];
    const stream = Readable.from([text]).pipe(JSONStream.parse("rows.*")).on("data", (row) => rows.push(row));
    await once(stream, "end");
    return rows;
  },
};
for (const [name, read] of Object.entries(readers)) {
  const rows = await read();
  console.log(`${name}: ${JSON.stringify(rows.map(({ credits }) => credits))}, sum ${rows.reduce((sum, { credits }) => sum + credits, 0)}`);
}
JS
seen=$(node seen.mjs 2>/dev/null)
echo "$seen"
[ "$seen" = 'JSON.parse: [9007199254740991,9007199254740992,0.12345678901234568], sum 18014398509481984
@discoveryjs/json-ext: [9007199254740991,9007199254740992,0.12345678901234568], sum 18014398509481984
@streamparser/json: [9007199254740991,9007199254740992,0.12345678901234568], sum 18014398509481984
jsonparse: [9007199254740991,"9007199254740993",0.12345678901234568], sum 900719925474099190071992547409930.12345678901234568
JSONStream: [9007199254740991,"9007199254740993",0.12345678901234568], sum 900719925474099190071992547409930.12345678901234568' ]
