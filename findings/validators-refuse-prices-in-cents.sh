#!/usr/bin/env bash
# `multipleOf: 0.01`, whole cents, in nine validators: how many of the 100,000 prices from 0.01 to 1000.00 are refused? And is 0.015?
# Expected: none, and yes. Division of binary fractions is not exact, and a rule for decimal steps is of no use unless it allows for that.
# Seen on 2026-11-29: valibot 1.5.0 and @sinclair/typebox 0.34.52 refuse 99,983 of them, all but a few such as 0.25, because they compare the remainder with 0. ajv 8.20.0 refuses
# 11,426, among them 0.07 and 19.99, unless `multipleOfPrecision` is set; Fastify uses it for the bodies of requests. zod 4.6.7, joi 18.3.2, effect 4.1.0,
# typebox 1.4.3, @cfworker/json-schema 4.1.6 and @exodus/schemasafe 1.3.0 take them all and refuse 0.015.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps zod@4.6.7 valibot@1.5.0 joi@18.3.2 effect@4.1.0 ajv@8.20.0 typebox@1.4.3 \
  @sinclair/typebox@0.34.52 @cfworker/json-schema@4.1.6 @exodus/schemasafe@1.3.0
cat > seen.mjs <<'JS'
import { Validator } from "@cfworker/json-schema";
import { validator } from "@exodus/schemasafe";
import { Type as Type0 } from "@sinclair/typebox";
import { Value as Value0 } from "@sinclair/typebox/value";
import { Ajv } from "ajv";
import { Schema } from "effect";
import joi from "joi";
import { Type } from "typebox";
import { Value } from "typebox/value";
import * as v from "valibot";
import { z } from "zod";
const schema = { type: "number", multipleOf: 0.01 };
const cfworker = new Validator(schema, "2020-12");
const libraries = {
  valibot: (price) => v.is(v.pipe(v.number(), v.multipleOf(0.01)), price),
  "@sinclair/typebox": (price) => Value0.Check(Type0.Number({ multipleOf: 0.01 }), price),
  ajv: new Ajv().compile(schema),
  zod: (price) => z.number().multipleOf(0.01).safeParse(price).success,
  joi: (price) => joi.number().multiple(0.01).validate(price).error === undefined,
  effect: Schema.is(Schema.Number.check(Schema.isMultipleOf(0.01))),
  typebox: (price) => Value.Check(Type.Number({ multipleOf: 0.01 }), price),
  "@cfworker/json-schema": (price) => cfworker.validate(price).valid,
  "@exodus/schemasafe": validator({ $schema: "https://json-schema.org/draft/2020-12/schema", ...schema }),
};
const prices = Array.from({ length: 100_000 }, (_, index) => (index + 1) / 100);
for (const [name, accepts] of Object.entries(libraries)) {
  const refused = prices.filter((price) => !accepts(price));
  console.log(`${name}: ${refused.length} refused, 0.015 ${accepts(0.015) ? "accepted" : "refused"}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'valibot: 99983 refused, 0.015 refused
@sinclair/typebox: 99983 refused, 0.015 refused
ajv: 11426 refused, 0.015 refused
zod: 0 refused, 0.015 refused
joi: 0 refused, 0.015 refused
effect: 0 refused, 0.015 refused
typebox: 0 refused, 0.015 refused
@cfworker/json-schema: 0 refused, 0.015 refused
@exodus/schemasafe: 0 refused, 0.015 refused' ]
