import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import * as z from "zod/mini";
import { inputSchema } from "#api/openapi/schemas.ts";
import { checkInput } from "#tools/check-input.ts";
import { TOOLS } from "#tools/registry.ts";
import { fixedToolContext } from "../support/tool-context.ts";

test("the five tools of the specification come first, in its order", () => {
  const names = TOOLS.map(({ name }) => name);
  const specified = ["markdown-render", "qr-code", "hash", "uuid", "echo"];
  assert.deepEqual(names.slice(0, specified.length), specified);
  assert.equal(new Set(names).size, names.length);
});

for (const { name } of TOOLS) {
  test(`${name} is the name of the tool's folder and of its test`, () => {
    assert.match(name, /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/);
    for (const file of [`../../src/tools/${name}/tool.ts`, `${name}.test.ts`]) {
      assert.ok(existsSync(path.join(import.meta.dirname, file)), file);
    }
  });
}

for (const tool of TOOLS) {
  test(`${tool.name} has two to four examples`, () => {
    assert.ok(tool.examples.length >= 2 && tool.examples.length <= 4);
  });

  for (const { name, request, response } of tool.examples) {
    test(`${tool.name} returns the exact response of its example: ${name}`, async () => {
      const sent = tool.verbatim ? JSON.stringify(request) : request;
      const output = await tool.run(checkInput(tool, sent).input, fixedToolContext());
      const text = tool.encode?.(output) ?? JSON.stringify(output);
      assert.equal(text, JSON.stringify(response));
      assert.doesNotThrow(() => tool.output.parse(response));
    });
  }

  test(`${tool.name} can be described as JSON Schema without a long pattern`, () => {
    const described = JSON.stringify([
      z.toJSONSchema(tool.input, { io: "input" }),
      z.toJSONSchema(tool.output, { io: "output" }),
    ]);
    assert.doesNotMatch(described, /"pattern":"[^"]{200}/);
  });

  if (tool.verbatim) continue;
  test(`${tool.name} describes every field, in and out`, () => {
    for (const [schema, io] of [
      [tool.input, "input"],
      [tool.output, "output"],
    ] as const) {
      const { properties = {} } = z.toJSONSchema(schema, { io });
      for (const [field, about] of Object.entries(properties)) {
        assert.ok(typeof about === "object" && about.description, `${field} has no description`);
      }
    }
  });
}

test("the schemas have the bounds, values and defaults of the specification", () => {
  const fields = (name: string) => {
    const tool = TOOLS.find((each) => each.name === name);
    assert.ok(tool);
    const { properties, required } = inputSchema(tool);
    return { properties: properties as Record<string, Record<string, unknown>>, required };
  };
  const uuid = fields("uuid");
  assert.equal(uuid.required, undefined);
  assert.partialDeepStrictEqual(uuid.properties, {
    count: { type: "integer", minimum: 1, maximum: 500, default: 1 },
    uppercase: { type: "boolean", default: false },
    version: { type: "integer", enum: [4, 7], default: 4 },
  });
  const hash = fields("hash");
  // Or `base64`; that one of the two is required is said in words, because a union of objects is hard on generated code.
  assert.equal(hash.required, undefined);
  assert.partialDeepStrictEqual(hash.properties, {
    text: { type: "string", maxLength: 1_048_576 },
    algorithm: { enum: ["sha1", "sha256", "sha384", "sha512"], default: "sha256" },
    hmacKey: { type: "string", minLength: 1, maxLength: 4096 },
    encoding: { enum: ["hex", "base64", "base64url"], default: "hex" },
  });
  const qr = fields("qr-code");
  assert.equal(qr.required, undefined);
  assert.partialDeepStrictEqual(qr.properties, {
    text: { type: "string", minLength: 1, maxLength: 4096 },
    format: { enum: ["png", "svg", "utf8"], default: "png" },
    errorCorrectionLevel: { enum: ["L", "M", "Q", "H"], default: "M" },
    width: { type: "number", default: 256 },
    margin: { type: "integer", minimum: 0, maximum: 16, default: 4 },
    dark: { type: "string", default: "#000000" },
    light: { type: "string", default: "#ffffff" },
  });
  const markdown = fields("markdown-render");
  assert.deepEqual(markdown.required, ["markdown"]);
  assert.partialDeepStrictEqual(markdown.properties, {
    markdown: { type: "string", maxLength: 1_048_576 },
    format: { enum: ["html", "text"], default: "html" },
  });
});
