#!/usr/bin/env bash
# The settings of one key are merged over the defaults of the service with nine libraries: no limit (null), a shorter list of scopes, none at all, another URL, and a date in place of an object.
# Expected: what the key says, since a merge is there to replace; lists may be joined, but then no scope may stand there twice.
# Seen on 2026-11-29: only remeda 2.62.2 and merge-anything 6.0.9 replace a list. deepmerge 4.3.1, defu 6.1.7, deepmerge-ts 8.0.2 and @fastify/deepmerge 3.2.4 append it, so `read` is there twice; lodash 4.18.1 and es-toolkit 1.53.2 lay it over
# the longer one place by place; ts-deepmerge 8.0.0 joins the two. In all seven an empty list takes nothing away. defu takes null for not set. deepmerge and @fastify/deepmerge make `{}` of a URL, and the latter keeps the object instead of
# the date. remeda, merge-anything, defu and deepmerge-ts hand out the objects of the settings themselves: who changes the result changes them.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts defu@6.1.7 deepmerge@4.3.1 deepmerge-ts@8.0.2 @fastify/deepmerge@3.2.4 lodash@4.18.1 es-toolkit@1.53.2 \
  ts-deepmerge@8.0.0 remeda@2.62.2 merge-anything@6.0.9
cat > seen.mjs <<'JS'
import fastifyDeepmerge from "@fastify/deepmerge";
import deepmerge from "deepmerge";
import { deepmerge as deepmergeTs } from "deepmerge-ts";
import { defu } from "defu";
import { toMerged } from "es-toolkit";
import lodash from "lodash";
import { merge as mergeAnything } from "merge-anything";
import { mergeDeep } from "remeda";
import { merge as tsDeepmerge } from "ts-deepmerge";
const libraries = {
  defu: (defaults, settings) => defu(settings, defaults),
  deepmerge,
  "deepmerge-ts": deepmergeTs,
  "@fastify/deepmerge": fastifyDeepmerge(),
  lodash: (defaults, settings) => lodash.merge({}, defaults, settings),
  "es-toolkit": toMerged,
  "ts-deepmerge": tsDeepmerge,
  remeda: mergeDeep,
  "merge-anything": mergeAnything,
};
const cases = {
  null: [10, null],
  shorter: [["read", "write"], ["read"]],
  none: [["read", "write"], []],
  URL: [new URL("https://example.com/a"), new URL("https://example.com/b")],
  date: [{ days: 30 }, new Date(0)],
};
for (const [name, merge] of Object.entries(libraries)) {
  const seen = Object.entries(cases).map(([kind, [before, after]]) => `${kind} ${JSON.stringify(merge({ value: before }, { value: after }).value)}`);
  const settings = { limits: { day: 1 } };
  merge({}, settings).limits.day = 2;
  console.log(`${name}: ${seen.join(", ")}${settings.limits.day === 2 ? ", shared" : ""}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'defu: null 10, shorter ["read","read","write"], none ["read","write"], URL "https://example.com/b", date "1970-01-01T00:00:00.000Z", shared
deepmerge: null null, shorter ["read","write","read"], none ["read","write"], URL {}, date "1970-01-01T00:00:00.000Z"
deepmerge-ts: null null, shorter ["read","write","read"], none ["read","write"], URL "https://example.com/b", date "1970-01-01T00:00:00.000Z", shared
@fastify/deepmerge: null null, shorter ["read","write","read"], none ["read","write"], URL {}, date {"days":30}
lodash: null null, shorter ["read","write"], none ["read","write"], URL "https://example.com/b", date "1970-01-01T00:00:00.000Z"
es-toolkit: null null, shorter ["read","write"], none ["read","write"], URL "https://example.com/b", date "1970-01-01T00:00:00.000Z"
ts-deepmerge: null null, shorter ["read","write"], none ["read","write"], URL "https://example.com/b", date "1970-01-01T00:00:00.000Z"
remeda: null null, shorter ["read"], none [], URL "https://example.com/b", date "1970-01-01T00:00:00.000Z", shared
merge-anything: null null, shorter ["read"], none [], URL "https://example.com/b", date "1970-01-01T00:00:00.000Z", shared' ]
