#!/usr/bin/env bash
# A body of JSON has `"credits": 9007199254740993`, which JSON.parse reads as another number, ...992. Do eleven schema libraries take it for an integer? And 1e300?
# Expected: no, since a schema for integers is there so that what is booked is what was sent, and above 2^53 nobody can tell.
# Seen on 2026-11-29: zod 4.6.7, joi 18.3.2 and effect 4.1.0 refuse both. valibot 1.5.0 `integer`, arktype 2.2.10, yup 1.7.1, typebox 1.4.3, @sinclair/typebox 0.34.52, ajv 8.20.0, superstruct 2.0.2 and
# fastest-validator 1.19.1 take both, and so does zod's `multipleOf(1)`. So a service that changes its validator may book other amounts than before. A `maximum` of 9007199254740991 says it to all.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts zod@4.6.7 joi@18.3.2 effect@4.1.0 valibot@1.5.0 arktype@2.2.10 yup@1.7.1 typebox@1.4.3 @sinclair/typebox@0.34.52 ajv@8.20.0 \
  superstruct@2.0.2 fastest-validator@1.19.1
cat > seen.mjs <<'JS'
import { Type as OldType } from "@sinclair/typebox";
import { Value as OldValue } from "@sinclair/typebox/value";
import Ajv from "ajv";
import { type } from "arktype";
import { Schema } from "effect";
import Validator from "fastest-validator";
import joi from "joi";
import * as superstruct from "superstruct";
import { Type } from "typebox";
import { Value } from "typebox/value";
import * as valibot from "valibot";
import * as yup from "yup";
import { z } from "zod";
const checks = {
  zod: (value) => z.int().safeParse(value).success,
  "zod multipleOf(1)": (value) => z.number().multipleOf(1).safeParse(value).success,
  joi: (value) => joi.number().integer().validate(value).error === undefined,
  effect: Schema.is(Schema.Int),
  "valibot integer": (value) => valibot.is(valibot.pipe(valibot.number(), valibot.integer()), value),
  "valibot safeInteger": (value) => valibot.is(valibot.pipe(valibot.number(), valibot.safeInteger()), value),
  arktype: (value) => !(type("number.integer")(value) instanceof type.errors),
  yup: (value) => yup.number().integer().isValidSync(value),
  typebox: (value) => Value.Check(Type.Integer(), value),
  "@sinclair/typebox": (value) => OldValue.Check(OldType.Integer(), value),
  ajv: (value) => new Ajv().validate({ type: "integer" }, value),
  superstruct: (value) => superstruct.is(value, superstruct.integer()),
  "fastest-validator": (value) => new Validator().compile({ value: { type: "number", integer: true } })({ value }) === true,
};
const values = ["5", "9007199254740993", "1e300"];
for (const [name, takes] of Object.entries(checks)) console.log(`${name}: takes ${values.filter((text) => takes(JSON.parse(text))).join(", ")}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'zod: takes 5
zod multipleOf(1): takes 5, 9007199254740993, 1e300
joi: takes 5
effect: takes 5
valibot integer: takes 5, 9007199254740993, 1e300
valibot safeInteger: takes 5
arktype: takes 5, 9007199254740993, 1e300
yup: takes 5, 9007199254740993, 1e300
typebox: takes 5, 9007199254740993, 1e300
@sinclair/typebox: takes 5, 9007199254740993, 1e300
ajv: takes 5, 9007199254740993, 1e300
superstruct: takes 5, 9007199254740993, 1e300
fastest-validator: takes 5, 9007199254740993, 1e300' ]
