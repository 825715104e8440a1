import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod/mini";
import type { OpenApiDocument } from "#api/openapi/document.ts";
import { listAppPages } from "#site/app-pages.ts";
import { createPages } from "#site/pages.ts";
import { defineTool, type Tool } from "#tools/define-tool.ts";
import { about, textField } from "#tools/fields.ts";
import { TOOLS } from "#tools/registry.ts";
import { emptyValues, fieldsOf, startValues } from "../../web/tools/tool-fields.ts";
import { openChanged } from "../http/in-process.ts";
import { assertProblem, assertResponse, createCaller } from "../http/test-api.ts";
import { FULL, pageAt } from "../site/pages-server.ts";

/** An app whose registry has a sixth tool: everything that a tool needs outside its folder is derived. */
const wordCount = defineTool({
  name: "word-count",
  title: "Word count",
  summary: "The number of words in a text.",
  description: "Counts the words of `text`, separated by white space.",
  price: 3,
  effect: "none",
  input: z.strictObject({
    text: textField(1_000, "The text to count."),
    minLength: about(
      z._default(z.int().check(z.minimum(1), z.maximum(9)), 1),
      "The shortest word that counts.",
    ),
    unique: about(z._default(z.boolean(), false), "Count each word once."),
    order: about(z._default(z.enum(["any", "given"]), "any"), "Has no effect."),
  }),
  output: z.strictObject({
    ok: about(z.literal(true), "True on success."),
    words: about(z.int(), "The number of words."),
  }),
  body: "required",
  bodyBytesMax: 10_000,
  fieldBytesMax: { text: 1_000 },
  heavyFromBytes: Number.POSITIVE_INFINITY,
  browser: true,
  examples: [{ name: "three", request: { text: "a b c" }, response: { ok: true, words: 3 } }],
  run({ text, minLength, unique }) {
    const words = text.split(/\s+/).filter((word) => word.length >= minLength);
    return { ok: true as const, words: unique ? new Set(words).size : words.length };
  },
});

const tools = [...TOOLS, wordCount as Tool];

test("a sixth tool has a route, its own price and its own limits", async (t) => {
  const service = await openChanged(t, { tools });
  const caller = await createCaller(service, { credits: 10 });
  const body = assertResponse(await caller.call("word-count", { text: "a b c" }), 3);
  assert.deepEqual(body, { ok: true, words: 3 });
  assert.equal(await caller.balance(), 7);
  assertProblem(await caller.call("word-count", { text: "a", uniqe: true }), "invalid_request");
  assertProblem(await caller.call("word-count", { text: "a".repeat(1_001) }), "too_large");
  assertProblem(await service.send("/api/v1/word-count"), "method_not_allowed");
});

test("a sixth tool is in the OpenAPI description with its price, schemas and examples", async (t) => {
  const service = await openChanged(t, { tools });
  const document = (await service.send("/openapi.json")).json() as OpenApiDocument;
  const operation = document.paths["/api/v1/word-count"]?.post;
  assert.equal(operation?.operationId, "callWordCount");
  assert.deepEqual(operation["x-price"], { credits: 3 });
  assert.deepEqual(
    Object.keys(operation.requestBody?.content["application/json"]?.examples ?? {}),
    ["three"],
  );
  assert.deepEqual(document.components.schemas["CallWordCountInput"]?.required, ["text"]);
  assert.ok(document.components.schemas["CallWordCountResult"]);
});

test("a sixth tool is on the front page, has a page in the docs, and is in llms.txt and in the sitemap", () => {
  const pages = createPages({ ...FULL, tools });
  for (const text of ["/", "/docs/word-count", "/llms.txt"].map((path) => pageAt(pages, path))) {
    assert.match(text as string, /word-count/);
  }
  assert.match(pageAt(pages, "/sitemap.xml") ?? "", /\/tools\/word-count</);
  assert.match(pageAt(pages, "/docs/credits") as string, /1 to 3 credits/);
  const page = listAppPages(tools).find(({ path }) => path === "/tools/word-count");
  assert.equal(page?.title, "Word count");
});

test("the form of a sixth tool comes from its schema, and holds its first example", () => {
  const fields = fieldsOf(wordCount as Tool);
  assert.deepEqual(
    fields.map(({ name, kind }) => [name, kind]),
    [
      ["text", "text"],
      ["minLength", "number"],
      ["unique", "switch"],
      ["order", "choice"],
    ],
  );
  assert.deepEqual(fields[1]?.range, { min: 1, max: 9 });
  assert.deepEqual(startValues(wordCount as Tool), { ...emptyValues(fields), text: "a b c" });
});
