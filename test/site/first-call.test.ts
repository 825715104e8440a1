import assert from "node:assert/strict";
import { test } from "node:test";
import { requestOf } from "../../src/site/first-call.ts";
import { z } from "../../src/toolbooth.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { ownTool } from "../../src/tools/own-tool.ts";

const FIELDS = {
  text: z.string(),
  short: z.string().max(3),
  long: z.string().min(40),
  email: z.email(),
  url: z.url(),
  uuid: z.uuid(),
  day: z.iso.date(),
  time: z.iso.datetime(),
  address: z.ipv4(),
  "newer address": z.ipv6(),
  count: z.int().positive(),
  share: z.number().min(0).max(0.5),
  above: z.number().gt(5).lt(10),
  negative: z.int().negative(),
  choice: z.enum(["a", "b"]),
  list: z.array(z.email()).min(2),
  either: z.union([z.int(), z.string()]),
  shape: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("circle"), radius: z.number() }),
    z.object({ kind: z.literal("square"), side: z.number() }),
  ]),
  record: z.record(z.enum(["small", "large"]), z.int()),
  pair: z.tuple([z.string(), z.boolean()]),
};

/** A JSON Schema that another library gives, and its sample. */
const OF_ALL: [schema: object, sample: unknown][] = [
  [
    {
      allOf: [
        { type: "object", properties: { name: { type: "string" }, kind: { type: "string" } } },
        { type: "object", required: ["name", "kind", "more"] },
      ],
      properties: { kind: { const: "cat" } },
    },
    { name: "hello world", kind: "cat", more: {} },
  ],
  [{ allOf: [{ type: "string" }], enum: ["a", "b"] }, "a"],
  [{ allOf: [{ type: "array", items: { type: "integer" }, minItems: 2 }, {}] }, [1, 1]],
];

for (const [schema, sample] of OF_ALL)
  test(`the sample of a value that is all of several schemas is each of them: ${JSON.stringify(sample)}`, () => {
    const validate = (value: unknown) => ({ value });
    const input = { "~standard": { validate, jsonSchema: { input: () => schema } } };
    const definition = { summary: "A tool.", input, price: 1, run: () => ({}) };
    assert.deepEqual(requestOf(ownTool("tool", defineTool(definition as never))), sample);
  });

for (const [field, schema] of Object.entries(FIELDS))
  test(`the first call of a tool without examples has a valid field: ${field}`, () => {
    const definition = defineTool({
      ...{ summary: "A tool.", input: { field: schema }, price: 1 },
      run: () => ({}),
    });
    const tool = ownTool("tool", definition);
    const request = requestOf(tool);
    assert.ok(tool.input.safeParse(request).success, JSON.stringify(request));
  });
