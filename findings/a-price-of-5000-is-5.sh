#!/usr/bin/env bash
# A price and a switch stand in environment variables, and five libraries for settings read them: `PRICE=5,000`, `5 credits`, `1e2`, `0x10`, nothing after the sign; `FREE=0`, `no`, `off`, `False`. The default is 7 and off.
# Expected: the number that stands there, or a refusal at the start; nothing is not set; and the four words are off.
# Seen on 2026-11-29: envalid 8.2.0 and convict 6.2.5 read 5,000 and `5 credits` as 5, and 0x10 as 0, as env-var 7.5.0 does: they take the digits at the beginning. convict `nat` makes 1 of 1e2. An empty price is 0 in @t3-oss/env-core 0.13.11 with zod 4.6.7, NaN in
# convict, a space 0 in envsafe 2.0.3. convict takes `0`, `no`, `off` and nothing for true: what was to be switched off is on. envalid and envsafe refuse `False`.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts envalid@8.2.0 env-var@7.5.0 @t3-oss/env-core@0.13.11 convict@6.2.5 envsafe@2.0.3 zod@4.6.7
cat > seen.mjs <<'JS'
import { createEnv } from "@t3-oss/env-core";
import convict from "convict";
import envVar from "env-var";
import * as envalid from "envalid";
import * as envsafe from "envsafe";
import { z } from "zod";
const refuse = ({ errors }) => {
  if (Object.keys(errors).length > 0) throw new Error("refused");
};
const onValidationError = () => refuse({ errors: [0] });
const withConvict = (format) => (VALUE) => {
  const config = convict({ value: { format, default: format === Boolean ? false : 7, env: "VALUE" } }, { env: { VALUE }, args: [] });
  config.validate();
  return config.get("value");
};
const numbers = {
  envalid: (VALUE) => envalid.cleanEnv({ VALUE }, { VALUE: envalid.num({ default: 7 }) }, { reporter: refuse }).VALUE,
  "env-var": (VALUE) => envVar.from({ VALUE }).get("VALUE").default("7").asFloat(),
  "@t3-oss/env-core": (VALUE) => createEnv({ server: { VALUE: z.coerce.number().default(7) }, runtimeEnv: { VALUE }, onValidationError }).VALUE,
  "convict, nat": withConvict("nat"),
  "convict, Number": withConvict(Number),
  envsafe: (VALUE) => envsafe.envsafe({ VALUE: envsafe.num({ default: 7 }) }, { env: { VALUE }, reporter: refuse }).VALUE,
};
const switches = {
  envalid: (VALUE) => envalid.cleanEnv({ VALUE }, { VALUE: envalid.bool({ default: false }) }, { reporter: refuse }).VALUE,
  "env-var": (VALUE) => envVar.from({ VALUE }).get("VALUE").default("false").asBool(),
  "@t3-oss/env-core": (VALUE) => createEnv({ server: { VALUE: z.stringbool().default(false) }, runtimeEnv: { VALUE }, onValidationError }).VALUE,
  convict: withConvict(Boolean),
  envsafe: (VALUE) => envsafe.envsafe({ VALUE: envsafe.bool({ default: false }) }, { env: { VALUE }, reporter: refuse }).VALUE,
};
const print = (readers, texts) => {
  for (const [name, read] of Object.entries(readers)) {
    const seen = texts.map((text) => {
      try {
        return `${JSON.stringify(text)} ${read(text)}`;
      } catch {
        return `${JSON.stringify(text)} refused`;
      }
    });
    console.log(`${name}: ${seen.join(", ")}`);
  }
};
print(numbers, ["5,000", "5 credits", "1e2", "0x10", "", " "]);
print(switches, ["0", "no", "off", "False", ""]);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'envalid: "5,000" 5, "5 credits" 5, "1e2" 100, "0x10" 0, "" refused, " " refused
env-var: "5,000" refused, "5 credits" refused, "1e2" 100, "0x10" 0, "" refused, " " refused
@t3-oss/env-core: "5,000" refused, "5 credits" refused, "1e2" 100, "0x10" 16, "" 0, " " 0
convict, nat: "5,000" 5, "5 credits" 5, "1e2" 1, "0x10" 0, "" refused, " " refused
convict, Number: "5,000" 5, "5 credits" 5, "1e2" 100, "0x10" 0, "" NaN, " " NaN
envsafe: "5,000" refused, "5 credits" refused, "1e2" 100, "0x10" 16, "" 7, " " 0
envalid: "0" false, "no" false, "off" false, "False" refused, "" refused
env-var: "0" false, "no" refused, "off" refused, "False" false, "" refused
@t3-oss/env-core: "0" false, "no" false, "off" false, "False" false, "" refused
convict: "0" true, "no" true, "off" true, "False" false, "" true
envsafe: "0" false, "no" refused, "off" refused, "False" refused, "" false' ]
