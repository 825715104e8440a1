import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as z from "zod";
import { describeTool } from "#api/mcp/describe-tools.ts";
import { describeOwnTool, toolOfDescription } from "#api/openapi/tool-description.ts";
import { toolSchemas } from "#api/openapi/tool-schemas.ts";
import { requestOf } from "#site/first-call.ts";
import { defineTool } from "#tools/define-tool.ts";
import { ownTool } from "#tools/own-tool.ts";

/** The schemas of own tools that contain others, or themselves, as the description of the API and agents have them. */

const NODE = z.object({
  name: z.string(),
  get children() {
    return z.array(NODE).optional();
  },
});
const ADDRESS = z.object({ city: z.string() }).meta({ id: "Postal address" });
const PERSON = z.strictObject({
  city: z.string(),
  get friends() {
    return z.array(PERSON).optional();
  },
});
z.globalRegistry.add(PERSON, { id: "Person" });

const tree = { name: "a", children: [{ name: "b", children: [] }] };
const SCHEMAS: [name: string, schema: object, right: object, wrong: object][] = [
  [
    "a field that contains itself",
    { tree: NODE },
    { tree },
    { tree: { name: "a", children: [7] } },
  ],
  ["an input that contains itself", NODE, tree, { name: "a", children: [{ name: 7 }] }],
  [
    "fields of one schema with an id",
    { home: ADDRESS, work: ADDRESS },
    { home: { city: "Oslo" }, work: { city: "Bonn" } },
    { home: { city: "Oslo" }, work: { city: 7 } },
  ],
  ["an input with an id", ADDRESS, { city: "Oslo" }, { city: 7 }],
  [
    "an input with an id that contains itself",
    PERSON,
    { city: "Oslo", friends: [{ city: "Bonn" }] },
    { city: "Oslo", friends: [{ city: 7 }] },
  ],
];

test("a member that a tool may leave undefined is required in no description of its response", () => {
  const item = z.object({ note: z.unknown(), id: z.number() });
  const output = { any: z.any(), known: z.string(), list: z.array(item) };
  const made = ownTool(
    "sample",
    defineTool({ summary: "Takes it.", price: 1, input: {}, output, run: () => ({}) } as never),
  );
  const described = toolOfDescription(structuredClone(describeOwnTool(made)));
  for (const tool of [made, described]) {
    const { CallSampleResult } = toolSchemas(tool);
    const { outputSchema } = describeTool(tool);
    for (const { required, properties } of [CallSampleResult ?? {}, outputSchema ?? {}]) {
      assert.deepEqual(
        required?.filter((name) => name !== "ok"),
        ["known", "list"],
      );
      assert.deepEqual(properties?.["list"]?.items?.required, ["id"]);
    }
  }
});

test("a check of the author's that fails on undefined stops no start", () => {
  const checked = z.any().refine((value: string) => value.length > 0);
  const made = ownTool(
    "sample",
    defineTool({
      summary: "Checks.",
      price: 1,
      input: {},
      output: { checked },
      run: () => ({}),
    } as never),
  );
  assert.deepEqual(describeOwnTool(made).outputSchema.required, ["ok", "checked"]);
});

for (const [name, schema, right, wrong] of SCHEMAS)
  test(`${name}: the descriptions say what is right, and every reference leads somewhere`, () => {
    const made = ownTool(
      "sample",
      defineTool({
        ...{ summary: "Takes it.", price: 1, run: () => ({}) },
        ...{ input: schema, output: schema },
      } as never),
    );
    const tool = toolOfDescription(structuredClone(describeOwnTool(made)));
    const { inputSchema } = describeTool(tool);
    const components = toolSchemas(tool);
    for (const each of Object.keys(components))
      assert.match(each, /^CallSample(?:Input|Result)\w*$/);
    const ajv = new Ajv2020({ allErrors: true, strict: false });
    ajv.addSchema({
      $id: "https://api.example.com/openapi.json",
      components: { schemas: components },
    });
    const inDocument = (component: string) =>
      ajv.compile({
        $ref: `https://api.example.com/openapi.json#/components/schemas/${component}`,
      });
    const accepts = [ajv.compile(inputSchema), inDocument("CallSampleInput")];
    for (const accept of accepts) assert.deepEqual([accept(right), accept(wrong)], [true, false]);
    assert.ok(accepts[0]?.(requestOf(tool)), JSON.stringify(requestOf(tool)));
    const returns = inDocument("CallSampleResult");
    const isRight = (output: object) => returns({ ok: true, ...output });
    assert.deepEqual([isRight(right), isRight(wrong), returns(right)], [true, false, false]);
    assert.ok(Object.keys(inputSchema.properties ?? {}).length > 0);
  });
