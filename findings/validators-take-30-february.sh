#!/usr/bin/env bash
# The first and last day of a report come as texts. Is `2026-02-30` refused, and `2026-02-30T10:00:00Z`?
# Expected: by every check for dates. Seen on 2026-11-29: zod 4.6.7, ajv-formats 3.0.1 and typebox 1.4.3 refuse both. valibot 1.5.0 `isoDate` and `isoTimestamp`, arktype 2.2.10
# `string.date.iso` and joi 18.3.2 `date().iso()` take them, as does yup 1.7.1 `date()`; joi and yup go on with 2 March. `new Date()` reads them as 2 March
# as well, so a report "until 30 February" has two days too many.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts zod@4.6.7 ajv@8.20.0 ajv-formats@3.0.1 typebox@1.4.3 valibot@1.5.0 arktype@2.2.10 joi@18.3.2 yup@1.7.1
cat > seen.mjs <<'JS'
import Ajv from "ajv";
import addFormats from "ajv-formats";
import { type } from "arktype";
import Joi from "joi";
import { String as Text } from "typebox";
import { Value } from "typebox/value";
import * as v from "valibot";
import * as yup from "yup";
import { z } from "zod";
const ajv = new Ajv();
addFormats(ajv);
const [date, time] = ["date", "date-time"].map((format) => ({ type: "string", format }));
const iso = type("string.date.iso");
const checks = {
  zod: [z.iso.date(), z.iso.datetime()].map((schema) => (text) => schema.safeParse(text).success),
  "ajv-formats": [date, time].map((schema) => ajv.compile(schema)),
  typebox: [date, time].map(({ format }) => (text) => Value.Check(Text({ format }), text)),
  valibot: [v.isoDate(), v.isoTimestamp()].map((check) => (text) => v.safeParse(v.pipe(v.string(), check), text).success),
  arktype: [iso, iso].map((schema) => (text) => schema.allows(text)),
  joi: [0, 1].map(() => (text) => Joi.date().iso().validate(text).value.toISOString().slice(0, 10)),
  yup: [0, 1].map(() => (text) => yup.date().validateSync(text).toISOString().slice(0, 10)),
};
for (const [name, pair] of Object.entries(checks)) {
  const seen = ["2026-02-30", "2026-02-30T10:00:00Z"].map((text, index) => pair[index](text));
  console.log(`${name}: ${seen.join(", ")}; 28 February ${pair[0]("2026-02-28")}`);
}
JS
seen=$(TZ=UTC node seen.mjs)
echo "$seen"
[ "$seen" = 'zod: false, false; 28 February true
ajv-formats: false, false; 28 February true
typebox: false, false; 28 February true
valibot: true, true; 28 February true
arktype: true, true; 28 February true
joi: 2026-03-02, 2026-03-02; 28 February 2026-02-28
yup: 2026-03-02, 2026-03-02; 28 February 2026-02-28' ]
