#!/usr/bin/env bash
# A file of JSON lines has three records. One of their texts has a line separator, U+2028, which JSON.stringify does not escape and which text
# pasted from word processors and chats has. How many lines do readers return, and how many of them are JSON?
# Expected: three, since a line of JSON Lines and of NDJSON ends with LF and JSON never has a bare LF in a string.
# Seen on 2026-11-29: `node:readline` and `FileHandle.readLines` of Node 24.21.0 end a line at U+2028 and U+2029 too, as do byline 5.0.0 and tinyexec 1.4.0, so the record is
# cut in two and neither half is JSON. split2 4.2.0, ndjson 2.0.0 and jsonlines 0.1.1 return three records. An export that people's texts are part of
# needs `split2`, or `\u2028` written as an escape.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts split2@4.2.0 ndjson@2.0.0 jsonlines@0.1.1 byline@5.0.0 tinyexec@1.4.0 \
  "node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@24.21.0"
node="$(find "$PWD/node_modules" -path '*/bin/node' -type f)"
cat > seen.mjs <<'JS'
import { createReadStream, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { createInterface } from "node:readline";
import byline from "byline";
import jsonlines from "jsonlines";
import ndjson from "ndjson";
import split2 from "split2";
import { x } from "tinyexec";
const records = [{ text: "one" }, { text: "two\u2028and a half" }, { text: "three" }];
writeFileSync("records.jsonl", records.map((record) => `${JSON.stringify(record)}\n`).join(""));
const file = () => createReadStream("records.jsonl");
const readers = {
  "node:readline": () => createInterface({ input: file() }),
  "FileHandle.readLines": async () => (await open("records.jsonl")).readLines(),
  tinyexec: async function* () {
    yield* x("cat", ["records.jsonl"]);
  },
  split2: () => file().pipe(split2()),
  byline: () => byline(file(), { encoding: "utf8" }),
  ndjson: () => file().pipe(ndjson.parse()),
  jsonlines: () => file().pipe(jsonlines.parse()),
};
const isRecord = (line) => {
  try {
    return typeof line === "object" || JSON.parse(line) !== undefined;
  } catch {
    return false;
  }
};
for (const [name, read] of Object.entries(readers)) {
  const lines = [];
  for await (const line of await read()) lines.push(line);
  console.log(`${name}: ${lines.length} lines, ${lines.filter(isRecord).length} of JSON`);
}
JS
seen=$("$node" seen.mjs)
echo "$seen"
[ "$seen" = 'node:readline: 4 lines, 2 of JSON
FileHandle.readLines: 4 lines, 2 of JSON
tinyexec: 4 lines, 2 of JSON
split2: 3 lines, 3 of JSON
byline: 4 lines, 2 of JSON
ndjson: 3 lines, 3 of JSON
jsonlines: 3 lines, 3 of JSON' ]
