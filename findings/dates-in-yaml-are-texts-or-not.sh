#!/usr/bin/env bash
# Values of a YAML file, without quotes, as they stand in the examples of an OpenAPI description: a date, a time, a duration, amounts with separators, a code with a leading zero and the answer `no`. Six readers; and what yaml 2.9.1 writes.
# Expected: texts, but for `0123`: the core schema of YAML 1.2 (2009) has no dates, no base 60 and no separators. And what one library writes for a text another reads as that text.
# Seen on 2026-11-29: yaml 2.9.1, js-yaml 5.5.0 (which no longer makes dates), @stoplight/yaml 4.3.0 and confbox 0.3.2 read texts. yamljs 0.3.0 makes dates, and 1000 of `1,000`; yaml-js 0.3.1 reads YAML 1.1: 12:30 is 750, `no` is false.
# `0123` is 123 or 83.
# yaml writes such texts without quotes, so the two read back something else than was written; js-yaml quotes what YAML 1.1 would read as another type, and json-to-pretty-yaml 1.2.2 quotes every text.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts yaml@2.9.1 js-yaml@5.5.0 @stoplight/yaml@4.3.0 confbox@0.3.2 yamljs@0.3.0 yaml-js@0.3.1 \
  json-to-pretty-yaml@1.2.2
cat > seen.mjs <<'JS'
import * as stoplight from "@stoplight/yaml";
import { parseYAML } from "confbox/yaml";
import { dump, load } from "js-yaml";
import pretty from "json-to-pretty-yaml";
import * as yaml from "yaml";
import yamlJs from "yaml-js";
import yamljs from "yamljs";
const readers = {
  yaml: (text) => yaml.parse(text),
  "js-yaml": (text) => load(text),
  "@stoplight/yaml": (text) => stoplight.parse(text),
  confbox: (text) => parseYAML(text),
  yamljs: (text) => yamljs.parse(text),
  "yaml-js": (text) => yamlJs.load(text),
};
const writers = { yaml: (value) => yaml.stringify(value), "js-yaml": (value) => dump(value), "json-to-pretty-yaml": (value) => pretty.stringify(value) };
const texts = ["2026-11-29", "12:30", "190:20:30", "1_000", "1,000", "0123", "no"];
const show = (value) => (value instanceof Date ? "a date" : String(value));
for (const [name, read] of Object.entries(readers)) {
  const other = texts.map((text) => [text, read(`value: ${text}\n`).value]).filter(([text, value]) => text !== value);
  console.log(`${name} reads ${other.map(([text, value]) => `${text} as ${show(value)}`).join(", ")}`);
}
for (const [name, write] of Object.entries(writers)) {
  const lost = Object.entries(readers).flatMap(([reader, read]) => {
    const other = texts.filter((text) => read(write({ value: text })).value !== text);
    return other.length === 0 ? [] : [`${reader} ${other.join(" ")}`];
  });
  console.log(`written by ${name}, read as another type by: ${lost.join(", ") || "none"}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'yaml reads 0123 as 123
js-yaml reads 0123 as 123
@stoplight/yaml reads 0123 as 123
confbox reads 0123 as 123
yamljs reads 2026-11-29 as a date, 1,000 as 1000, 0123 as 83
yaml-js reads 2026-11-29 as a date, 12:30 as 750, 190:20:30 as 685230, 1_000 as 1000, 0123 as 83, no as false
written by yaml, read as another type by: yamljs 2026-11-29 1,000, yaml-js 2026-11-29 12:30 190:20:30 1_000 no
written by js-yaml, read as another type by: yamljs 1,000
written by json-to-pretty-yaml, read as another type by: none' ]
