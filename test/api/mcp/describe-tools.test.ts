import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as z from "zod/mini";
import { describeTool } from "#api/mcp/describe-tools.ts";
import { TOOLS } from "#tools/registry.ts";

/** What `tools/list` says: short, true of every example, and open for what v1 may add. */
const described = TOOLS.map(describeTool);
const ajv = new Ajv2020({ strict: true, allErrors: true });

/** gpt-tokenizer counts less than this for o200k and cl100k. Hosts add words of their own. */
const TOKENS_MAX = 2_000;
const CHARS_A_TOKEN = 3.5;

test(`tools/list is at most ${TOKENS_MAX} tokens`, (t) => {
  const tokens = Math.ceil(JSON.stringify({ tools: described }).length / CHARS_A_TOKEN);
  t.diagnostic(`${tokens} tokens`);
  assert.ok(tokens <= TOKENS_MAX, `${tokens} tokens: shorten first sentences of descriptions`);
});

test("names, titles, prices and hints", () => {
  for (const [at, tool] of described.entries()) {
    assert.match(tool.name, /^[a-z-]{1,64}$/);
    assert.ok(tool.title.length > 0 && tool.description.length < 200);
    assert.match(tool.description, / Costs 1 credit\.$/);
    assert.equal(tool.name, TOOLS[at]?.name);
    assert.deepEqual(tool.annotations, { readOnlyHint: true, openWorldHint: false });
  }
  const [first] = TOOLS;
  assert.ok(first);
  assert.match(describeTool({ ...first, price: 1_000 }).description, / Costs 1,000 credits\.$/);
  const acting = describeTool({ ...first, effect: "act" });
  assert.match(acting.description, / Costs 1 credit\. It changes something, and does so again /);
  assert.deepEqual(acting.annotations, {
    ...{ readOnlyHint: false, openWorldHint: true },
    ...{ destructiveHint: true, idempotentHint: false },
  });
  const byInput = { ...first, price: 2_001, priceOf: () => 1 };
  assert.match(describeTool(byInput).description, / Costs up to 2,001 credits\.$/);
});

test("descriptions for agents fit MCP, which has no headers, queries or bodies", () => {
  const ofHttp =
    /\b(?:HTTP|headers?|Accept|Content-Type|query|curl|data URL|POST|endpoint|body)\b/i;
  for (const { name, description, inputSchema } of described) {
    const fields = Object.values(inputSchema.properties ?? {});
    for (const text of [description, ...fields.map((field) => field.description ?? "")]) {
      assert.ok(text.length > 0, name);
      // Names of fields are in code, and an address may be of http.
      assert.doesNotMatch(text.replaceAll(/`[^`]*`|http or https URL/g, ""), ofHttp, name);
    }
  }
});

test("texts for agents belong to fields that are there", () => {
  for (const [at, { agents }] of TOOLS.entries()) {
    const { properties = {} } = described[at]?.inputSchema ?? {};
    for (const [name, text] of Object.entries(agents?.fields ?? {})) {
      assert.equal(properties[name]?.description, text);
    }
  }
});

test("every example fits the schemas, an unknown argument does not, and responses may grow", () => {
  for (const [at, tool] of TOOLS.entries()) {
    const { inputSchema, outputSchema } = described[at] ?? assert.fail();
    const accepts = ajv.compile(inputSchema);
    const returns = outputSchema === undefined ? () => true : ajv.compile(outputSchema);
    for (const { request, response } of tool.examples) {
      const args = tool.verbatim ? { body: request } : request;
      assert.ok(accepts(args), `${tool.name} ${JSON.stringify(args)}`);
      assert.ok(!accepts({ ...(args as object), unknown: 1 }));
      assert.ok(returns(response), tool.name);
      assert.ok(returns({ ...(response as object), added: 1 }));
    }
  }
});

test("a list whose first items have types of their own may hold them, and the rest", () => {
  const [first] = TOOLS;
  assert.ok(first);
  const output = z.object({ row: z.tuple([z.string()], z.number()), pair: z.tuple([z.string()]) });
  const { outputSchema } = describeTool({ ...first, output });
  const returns = ajv.compile(outputSchema ?? assert.fail());
  assert.ok(returns({ row: ["total", 1, 2], pair: ["a"] }));
  assert.ok(!returns({ row: "total", pair: ["a"] }));
});

test("images and verbatim results have no schema of structured content; everything else has", () => {
  const without = described.filter(({ outputSchema }) => outputSchema === undefined);
  assert.deepEqual(
    without.map(({ name }) => name),
    ["qr-code", "echo"],
  );
});
