/** Bodies made from the schemas of a description: right ones, and ones with something wrong in them. */

import type { JsonSchema } from "#api/openapi/document.ts";
import { anyCharacter, anyUrl } from "../support/arbitraries.ts";
import fc from "../support/properties.ts";

/** The text of a JSON value, or bytes that are none. */
export type FuzzBody = Uint8Array | undefined;

const utf8 = new TextEncoder();

/** A value that the schema allows. */
function rightValue(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const { minimum = -1e6, maximum = 1e6 } = schema;
  switch (schema.type) {
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.oneof(
        fc.constantFrom(minimum, maximum),
        fc.integer({ min: minimum, max: maximum }),
      );
    case "number":
      return fc.oneof(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer(),
        fc.constantFrom(63.5, 64, 2048, 2048.4),
      );
    case "string":
      return rightText(schema);
    case "object":
      return rightObject(schema);
    default:
      return fc.jsonValue({ maxDepth: 4 });
  }
}

function rightText({
  minLength = 0,
  maxLength = 10_000,
  format,
}: JsonSchema): fc.Arbitrary<string> {
  // Every URL that a tool takes is one of http or https.
  if (format === "uri") return anyUrl;
  const max = Math.min(maxLength, 200);
  return fc.oneof(
    { weight: 4, arbitrary: fc.string({ unit: "grapheme", minLength, maxLength: max }) },
    { weight: 4, arbitrary: fc.string({ unit: anyCharacter, minLength, maxLength: max }) },
    {
      weight: 2,
      arbitrary: fc.string({
        unit: fc.constantFrom(..."#*_`[]()<>|-~!\\\n\t &;:/.ahtp1"),
        minLength,
        maxLength: max,
      }),
    },
    {
      weight: 1,
      arbitrary: fc
        .integer({ min: -1, max: 1 })
        .map((over) => "x".repeat(Math.max(minLength, Math.min(maxLength, 4096) + over))),
    },
  );
}

function rightObject({ properties = {}, required = [] }: JsonSchema): fc.Arbitrary<object> {
  const fields = Object.entries(properties).map(
    ([name, schema]) => [name, rightValue(schema)] as const,
  );
  return fc.record(Object.fromEntries(fields), { requiredKeys: required as never[] });
}

const ODD_NAMES = [
  ...["", "__proto__", "constructor", "toString", "Text", "TEXT", "text ", "texts", "cuont"],
  ...["a/b~c", "\u0000", "ü".repeat(300)],
];
const ODD_VALUES = [
  ...[null, true, 0, -1, 1, 501, 1.5, 1e21, -0, "", "1", "true", [], {}, [1], { a: 1 }],
  ...["\ud800", "a\udc00b", "SHA-256", "sha--256", "PNG", "l"],
];

/** Takes what is right and changes one thing in it, which mostly makes it wrong. */
function changed(schema: JsonSchema): fc.Arbitrary<unknown> {
  const names = Object.keys(schema.properties ?? {});
  if (names.length === 0) return fc.anything({ maxDepth: 2, withNullPrototype: false });
  const name = fc.constantFrom(...names);
  const oddValue = fc.oneof(
    fc.constantFrom(...ODD_VALUES),
    fc.jsonValue({ maxDepth: 2 }),
    fc.double(),
    fc.string({ unit: anyCharacter }),
  );
  const change = fc.oneof(
    name.map((field) => (value: object) => without(value, field)),
    fc.tuple(name, oddValue).map(([field, odd]) => (value: object) => ({ ...value, [field]: odd })),
    fc.tuple(fc.constantFrom(...ODD_NAMES), oddValue).map(
      ([field, odd]) =>
        (value: object) =>
          withOwn(value, field, odd),
    ),
    fc.tuple(name, fc.string({ maxLength: 2 })).map(
      ([field, more]) =>
        (value: object) =>
          renamed(value, field, field + more),
    ),
    fc.tuple(name, fc.constantFrom(-1, 1)).map(
      ([field, over]) =>
        (value: object) =>
          pastBounds(value, field, schema, over),
    ),
    fc.constantFrom(
      (value: object) => [value],
      (value: object) => JSON.stringify(value),
      () => null,
    ),
  );
  return fc.tuple(rightObject(schema), change).map(([value, make]) => make(value));
}

const without = (value: object, name: string) =>
  Object.fromEntries(Object.entries(value).filter(([own]) => own !== name));
const renamed = (value: object, from: string, to: string) =>
  Object.fromEntries(Object.entries(value).map(([name, own]) => [name === from ? to : name, own]));

/** As JSON.parse does it: `__proto__` becomes a field like any other. */
function withOwn(value: object, name: string, own: unknown): object {
  return Object.defineProperty({ ...value }, name, {
    value: own,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

function pastBounds(value: object, name: string, schema: JsonSchema, over: number): object {
  const { minimum, maximum } = schema.properties?.[name] ?? {};
  const bound = over < 0 ? minimum : maximum;
  return bound === undefined ? value : { ...value, [name]: bound + over };
}

const escapeAll = (json: string) =>
  json.replace(
    /"(?:[^"\\]|\\.)*"/g,
    (text) =>
      `"${[...JSON.parse(text).split("")].map((unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"`,
  );

/** The same value, written in one of the ways in which JSON can be written, or broken on the way. */
function written(value: fc.Arbitrary<unknown>): fc.Arbitrary<FuzzBody> {
  const style = fc.oneof(
    { weight: 8, arbitrary: fc.constant((json: string) => json) },
    fc.constantFrom(
      escapeAll,
      (json: string) => `\ufeff${json}`,
      (json: string) => ` \r\n\t${json}\n`,
      (json: string) => json.replaceAll(":", " :\n").replaceAll(",", "\t, "),
    ),
    fc.constantFrom(
      (json: string) => `${json}x`,
      (json: string) => `\u00a0${json}`,
      (json: string) => json.replaceAll('"', "'"),
      (json: string) => json.replace("}", ",}"),
      (json: string) => json.replace(/\d+/, "1e400"),
      (json: string) => json.replace(/\d+/, "-0"),
      (json: string) => json.replace(/\d+/, "0123"),
      (json: string) => json.replace(/[a-z]/, "\u0001"),
    ),
    fc.nat().map((at) => (json: string) => json.slice(0, at % (json.length + 1))),
  );
  return fc.tuple(value, style).map(([given, write]) => utf8.encode(write(asJson(given))));
}

/** What has no JSON becomes null, as in an array. */
function asJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return "null";
  }
}

export function bodyArbitrary(schema: JsonSchema, bytesMax: number): fc.Arbitrary<FuzzBody> {
  const blank = (bytes: number) => fc.constant(utf8.encode(" ".repeat(bytes)));
  return fc.oneof(
    { weight: 40, arbitrary: written(rightValue(schema)) },
    { weight: 40, arbitrary: written(changed(schema)) },
    { weight: 5, arbitrary: fc.uint8Array({ maxLength: 64 }) },
    { weight: 5, arbitrary: fc.string({ maxLength: 64 }).map((text) => utf8.encode(text)) },
    { weight: 4, arbitrary: fc.constantFrom(undefined, new Uint8Array(), utf8.encode("\ufeff")) },
    // Large bodies are slow to make, so they are rare where the limit is high.
    {
      weight: bytesMax > 100_000 ? 0 : 8,
      arbitrary: fc.oneof(blank(bytesMax), blank(bytesMax + 1)),
    },
    {
      weight: 2,
      arbitrary: fc
        .integer({ min: 500, max: 3_000 })
        .map((depth) => utf8.encode("[".repeat(depth) + "]".repeat(depth))),
    },
  );
}
