#!/usr/bin/env bash
# Formats of JSON Schema in six libraries: examples from the documents that define them (RFC 3339, 3986, 5322, 6901, appendix A of RFC 3339 for durations), and texts that are none of that format.
# Expected: the former are taken, the latter refused: where a format is checked at all, the definition is short.
# Seen on 2026-11-29: jsonschema 1.5.0 refuses each `time` with an offset, without which it is none, and takes those without. zod 4.6.7 refuses each relative `uri-reference`, which is what the format is for, an email with a tilde and leap seconds; it checks neither
# json-pointer nor regex. ajv-formats 3.0.1, @cfworker/json-schema 4.1.6, @exodus/schemasafe 1.3.0 and jsonschema take a date-time with a space, which other readers refuse. typebox 1.4.3 has all of them right.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts ajv@8.20.0 ajv-formats@3.0.1 @cfworker/json-schema@4.1.6 @exodus/schemasafe@1.3.0 \
  jsonschema@1.5.0 zod@4.6.7 typebox@1.4.3
cat > seen.mjs <<'JS'
import { Validator } from "@cfworker/json-schema";
import safe from "@exodus/schemasafe";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import jsonschema from "jsonschema";
import { Compile } from "typebox/schema";
import { z } from "zod";
const ajv = addFormats.default(new Ajv2020({ strict: false }));
const libraries = {
  "ajv-formats": (schema) => ajv.compile(schema),
  "@cfworker/json-schema": (schema) => (value) => new Validator(schema, "2020-12").validate(value).valid,
  "@exodus/schemasafe": (schema) => safe.validator(schema, { mode: "default" }),
  jsonschema: (schema) => (value) => new jsonschema.Validator().validate(value, schema).valid,
  "zod fromJSONSchema": (schema) => (value) => z.fromJSONSchema(schema).safeParse(value).success,
  typebox: (schema) => (value) => Compile(schema).Check(value),
};
const values = {
  "date-time": [["1990-12-31T23:59:60Z", "1985-04-12t23:20:50.52z"], ["2026-11-29 10:00:00Z", "2026-11-29T24:00:00Z"]],
  time: [["23:20:50.52Z", "10:00:00+02:00"], ["10:00:00"]],
  duration: [["P4DT12H30M5S", "PT36H", "P2W"], ["P1.5D", "-P1D"]],
  "uri-reference": [["../a", "?page=2", "//example.com/a"], []],
  email: [["te~st@example.com", "o'brien@example.com"], ["a..b@example.com"]],
  "json-pointer": [["", "/a~1b"], ["a", "/~2"]],
  regex: [["^a$"], ["("]],
  ipv4: [["192.0.2.1"], ["01.2.3.4"]],
};
for (const [name, make] of Object.entries(libraries)) {
  const wrong = { refuses: [], takes: [] };
  for (const [format, [good, bad]] of Object.entries(values)) {
    const check = make({ type: "string", format });
    wrong.refuses.push(...good.filter((value) => !check(value)).map((value) => `${format} ${value}`.replace("'", "`")));
    wrong.takes.push(...bad.filter((value) => check(value)).map((value) => `${format} ${value}`));
  }
  console.log(`${name}: refuses ${wrong.refuses.join(", ") || "none"}; takes ${wrong.takes.join(", ") || "none"}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'ajv-formats: refuses none; takes date-time 2026-11-29 10:00:00Z
@cfworker/json-schema: refuses none; takes date-time 2026-11-29 10:00:00Z, ipv4 01.2.3.4
@exodus/schemasafe: refuses none; takes date-time 2026-11-29 10:00:00Z, time 10:00:00, duration P1.5D
jsonschema: refuses time 23:20:50.52Z, time 10:00:00+02:00; takes date-time 2026-11-29 10:00:00Z, date-time 2026-11-29T24:00:00Z, time 10:00:00, duration -P1D, ipv4 01.2.3.4
zod fromJSONSchema: refuses date-time 1990-12-31T23:59:60Z, date-time 1985-04-12t23:20:50.52z, uri-reference ../a, uri-reference ?page=2, uri-reference //example.com/a, email te~st@example.com; takes json-pointer a, json-pointer /~2, regex (
typebox: refuses none; takes none' ]
