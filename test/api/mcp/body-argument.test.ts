import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { z } from "zod";
import { describeTool } from "#api/mcp/describe-tools.ts";
import { describeOwnTool, toolOfDescription } from "#api/openapi/tool-description.ts";
import { defineTool, type Tool } from "#tools/define-tool.ts";
import { ownTool } from "#tools/own-tool.ts";
import { openChanged } from "../../http/in-process.ts";
import { assertToolError, call, post, resultOf } from "../../http/mcp-messages.ts";
import { createCaller } from "../../http/test-api.ts";

/** Arguments of MCP are an object, so an input that is none is the argument `body`. */

const shape = (input: z.ZodType) =>
  ownTool(
    "shape",
    defineTool({
      ...{ summary: "Returns its input.", input, price: 1, effect: "none" },
      run: (value) => ({ value }),
    }),
  );

async function openWith(t: TestContext, tool: Tool) {
  const service = await openChanged(t, { tools: [tool] });
  const caller = await createCaller(service, { credits: 10 });
  return {
    balance: caller.balance,
    ask: (args: unknown) => post(service, caller, call("shape", args)),
    list: async () =>
      resultOf(await post(service, caller, { jsonrpc: "2.0", id: 1, method: "tools/list" })).tools,
  };
}

const LIST = z.array(z.strictObject({ count: z.int(), unit: z.string().optional() })).min(1);

test("a tool whose input is a list is called with the argument `body`, and its mistakes are named", async (t) => {
  const { ask, balance, list } = await openWith(t, shape(LIST));
  const [{ inputSchema }] = await list();
  assert.deepEqual([inputSchema.type, inputSchema.required], ["object", ["body"]]);
  assert.equal(inputSchema.properties.body.type, "array");
  const { structuredContent } = resultOf(await ask({ body: [{ count: 1 }, { count: 2 }] }));
  assert.deepEqual(structuredContent, { ok: true, value: [{ count: 1 }, { count: 2 }] });
  // As models write numbers and options that they leave out.
  const meant = resultOf(await ask({ body: [{ count: "3", unit: null }] }));
  assert.deepEqual(meant.structuredContent, { ok: true, value: [{ count: 3 }] });
  assert.equal(await balance(), 8);

  const text = assertToolError(await ask({ body: [{ count: "x" }] }), "invalid_request");
  assert.match(text, /must be a whole number; got "x"/);
  assertToolError(await ask({ body: [] }), "invalid_request");
  const unknown = assertToolError(await ask({ body: [], list: 1 }), "invalid_request");
  assert.match(unknown, /`list` is unknown; shape has one argument, `body`/);
  for (const args of [{}, undefined])
    assert.match(
      assertToolError(await ask(args), "invalid_request"),
      /The body is empty; it must be an array\./,
    );
  assert.equal(await balance(), 8);
});

test("so are other inputs that are no object, and those with several forms; any other has its fields as arguments", () => {
  const nested: z.ZodType = z.array(z.lazy(() => nested));
  const text = z.object({ text: z.string() });
  const other = z.object({ count: z.int() });
  const bodies = [
    ...[LIST, z.string(), z.int(), z.nullable(LIST), z.union([LIST, z.string()]), nested],
    ...[z.union([text, LIST]), z.union([text, other]), z.xor([text, other])],
    z.nullable(text),
  ];
  const objects = [text, z.any(), z.record(z.string(), z.string()), z.intersection(text, other)];
  for (const [inputs, expected] of [
    [bodies, true],
    [objects, false],
  ] as const)
    for (const input of inputs) {
      // As a thread has it, and as the server does.
      for (const tool of [shape(input), toolOfDescription(describeOwnTool(shape(input)))]) {
        const { properties, required, type, ...others } = describeTool(tool).inputSchema;
        assert.equal(type, "object");
        // The APIs of models refuse these, and with them every tool of the list.
        for (const keyword of ["anyOf", "oneOf", "allOf"]) assert.ok(!(keyword in others));
        const isWrapped = Object.keys(properties ?? {}).join() === "body";
        assert.equal(isWrapped, expected, JSON.stringify(properties));
        if (expected) assert.deepEqual(required, ["body"]);
      }
    }
  // Its references stay within the argument.
  const accepts = new Ajv2020({ strict: true }).compile(describeTool(shape(nested)).inputSchema);
  assert.equal(accepts({ body: [[], [[]]] }), true);
  assert.equal(accepts({ body: [{ body: [] }] }), false);
  assert.equal(accepts({ body: [[1]] }), false);
});
