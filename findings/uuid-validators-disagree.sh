#!/usr/bin/env bash
# Which forms of a UUID do validators of forms accept with their defaults?
# Expected: all of them the canonical form of every version, and nothing else. Seen on 2026-11-28: joi 18.3.2 `guid()` also takes
# braces and a UUID without hyphens, so one id passes in three spellings; is-uuid 1.0.2 `anyNonNil` takes version 4 but not 6, 7
# and 8, and yup 1.7.1 neither (nor the maximum). validator 13.15.35, valibot 1.5.0, zod 4.6.7 and arktype 2.2.9 are as expected.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts joi@18.3.2 is-uuid@1.0.2 yup@1.7.1 validator@13.15.35 valibot@1.5.0 zod@4.6.7 arktype@2.2.9
cat > seen.mjs <<'JS'
import { type } from "arktype";
import isUuid from "is-uuid";
import Joi from "joi";
import * as v from "valibot";
import validator from "validator";
import * as yup from "yup";
import { z } from "zod";
const spellings = {
  4: "f47ac10b-58cc-4372-a567-0e02b2c3d479",
  6: "1f0a5c3e-0000-6000-8000-000000000001",
  7: "019cf2a8-5b00-7a2b-8c3d-0123456789ab",
  8: "019cf2a8-5b00-8a2b-8c3d-0123456789ab",
  max: "ffffffff-ffff-ffff-ffff-ffffffffffff",
  braces: "{f47ac10b-58cc-4372-a567-0e02b2c3d479}",
  bare: "f47ac10b58cc4372a5670e02b2c3d479",
};
const validators = {
  joi: (text) => !Joi.string().guid().validate(text).error,
  "is-uuid": (text) => isUuid.anyNonNil(text),
  yup: (text) => yup.string().uuid().isValidSync(text),
  validator: (text) => validator.isUUID(text),
  valibot: (text) => v.safeParse(v.pipe(v.string(), v.uuid()), text).success,
  zod: (text) => z.uuid().safeParse(text).success,
  arktype: (text) => !(type("string.uuid")(text) instanceof type.errors),
};
for (const [name, accepts] of Object.entries(validators)) {
  console.log(`${name}: ${Object.keys(spellings).filter((kind) => accepts(spellings[kind])).join(" ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'joi: 4 6 7 8 max braces bare
is-uuid: 4
yup: 4
validator: 4 6 7 8 max
valibot: 4 6 7 8 max
zod: 4 6 7 8 max
arktype: 4 6 7 8 max' ]
