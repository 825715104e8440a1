import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApiResponse, Header } from "#api/openapi/document.ts";
import { describeApi } from "#api/openapi/openapi.ts";
import { QUOTE_EXAMPLE } from "#api/openapi/quote.ts";
import { callPrice, freeCall, havePrices, priceCell, priceText } from "#api/openapi/words.ts";
import { PRICE_CREDITS_MAX } from "#limits.ts";
import { createPages } from "#site/pages.ts";
import type { Tool } from "#tools/define-tool.ts";
import hash from "#tools/hash/tool.ts";
import uuid from "#tools/uuid/tool.ts";
import { BARE, FULL, pageAt, pathsOf } from "../site/pages-server.ts";

/** What the description and the pages say of prices follows the prices of the tools. */
const priced = (...prices: number[]): Tool[] =>
  prices.map((price, at) => ({ ...uuid, name: `tool-${at}`, price }) as Tool);

test("one price of all tools is named, and several by their range", () => {
  assert.equal(callPrice(priced(1, 1)), "one credit");
  assert.equal(callPrice(priced(7)), "7 credits");
  assert.equal(callPrice(priced(0, 0)), "0 credits");
  assert.equal(callPrice(priced(7, 0, 1_000)), "0 to 1,000 credits, depending on the tool");
  assert.equal(callPrice(priced(0, 1)), "0 to one credit, depending on the tool");
});

/** What the input decides. */
const byInput = (price: number) => ({ ...priced(price)[0], priceOf: () => 1 }) as Tool;

test("a price that depends on the input is up to its most", () => {
  assert.equal(priceText(byInput(20)), "up to 20 credits, depending on the input");
  assert.equal(callPrice([byInput(20)]), "up to 20 credits, depending on the input");
  assert.equal(
    callPrice([byInput(20), ...priced(1, 1_000)]),
    "up to 1,000 credits, depending on the tool and the input",
  );
  assert.deepEqual([priceCell(byInput(2_000)), priceCell(SEVEN)], ["up to 2,000", "7"]);
  assert.deepEqual([havePrices(priced(1, 1)), havePrices([byInput(1)])], [false, true]);
  const free = (freeCallCredits: number, ...tools: Tool[]) =>
    freeCall({ ...BARE, freeCallCredits, tools });
  assert.equal(
    free(1, byInput(20)),
    "The first call of an account is free if it costs at most one credit.",
  );
  assert.equal(free(1, byInput(1)), "The first call of an account is free.");
  assert.equal(free(0, byInput(20)), "");
});

test("a free call is promised up to its limit, and not where no tool is within it", () => {
  const sentence = (freeCallCredits: number, ...prices: number[]) =>
    freeCall({ ...BARE, freeCallCredits, tools: priced(...prices) });
  assert.equal(sentence(1, 1, 1), "The first call of an account is free.");
  assert.equal(sentence(1, 1, 0), "The first call of an account is free.");
  assert.equal(
    sentence(5, 1, 5, 7),
    "The first call of an account is free if it costs at most 5 credits.",
  );
  assert.equal(sentence(0, 1), "");
  assert.equal(sentence(1, 7), "");
  assert.equal(sentence(1, 0), "", "what costs nothing needs no free call");
});

const SEVEN = { ...hash, price: 7 } as Tool;
const FREE = { ...uuid, price: 0 } as Tool;

test("the description has the price of each tool, and the maximum that an account is charged", () => {
  const document = describeApi({ ...BARE, tools: [SEVEN, FREE] });
  assert.deepEqual(Object.keys(document.paths).slice(0, 2), ["/api/v1/hash", "/api/v1/uuid"]);
  assert.deepEqual(document.paths["/api/v1/hash"]?.post?.["x-price"], { credits: 7 });
  assert.deepEqual(document.paths["/api/v1/uuid"]?.post?.["x-price"], { credits: 0 });
  const charged = document.components.headers["Credits-Charged"];
  // An account may have a price of its own.
  const schema = { type: "integer", minimum: 0, maximum: PRICE_CREDITS_MAX };
  assert.deepEqual([charged?.schema, charged?.example], [schema, 0]);
  assert.match(document.tags[0]?.description ?? "", /costs 0 to 7 credits, depending on the tool/);
  assert.match(document.info.description, /\| `hash` \| 7 \|/);
  const exampleAt = (to: string, { paths } = document) => {
    const { responses } = paths[to]?.post ?? assert.fail(to);
    const { headers = {} } = responses["200"] as ApiResponse;
    return (headers["Credits-Charged"] as Header).example;
  };
  assert.deepEqual(
    ["/api/v1/hash", "/api/v1/uuid"].map((to) => exampleAt(to)),
    [7, 0],
  );
  const ofInput = describeApi({ ...BARE, tools: [{ ...SEVEN, priceOf: () => 1 }] });
  const { paths } = ofInput;
  assert.equal(exampleAt("/api/v1/hash", ofInput), QUOTE_EXAMPLE.credits);
  assert.equal(exampleAt("/api/v1/hash/quote", ofInput), 0);
  assert.deepEqual(paths["/api/v1/hash"]?.post?.["x-price"], { creditsMax: 7 });
  assert.match(paths["/api/v1/hash"]?.post?.description ?? "", /costs up to 7 credits, depending/);
});

test("the documentation of a tool whose price depends on the input shows how to ask for a quote", () => {
  const pages = createPages({ ...FULL, tools: [{ ...SEVEN, priceOf: () => 1 }] });
  const page = pageAt(pages, "/docs/hash.md") ?? "";
  assert.match(page, /A successful call costs up to 7 credits, depending on the input\./);
  assert.match(page, /curl https?:[^ ]*\/api\/v1\/hash\/quote /);
  assert.match(page, /"credits": 3/);
  assert.doesNotMatch(pageAt(createPages(FULL), "/docs/hash.md") ?? "", /\/quote /);
});

test("a program that knows llms.txt alone learns what each tool costs and needs, and where agents and quotes are", () => {
  const more = { summary: "Sends it", price: 30, effect: "act" as const, passThrough: true };
  const tools = [SEVEN, { ...uuid, name: "send-it", ...more } as Tool];
  const text = pageAt(createPages({ ...FULL, tools }), "/llms.txt") ?? "";
  assert.match(text, /api\/v1\/hash\. .*\. A call costs 7 credits\.\n/);
  assert.match(
    text,
    /Sends it\. A call costs 30 credits\. It changes something, and needs an `Idempotency-Key`\.\n/,
  );
  assert.match(text, /or the tool passes on what another service responds\./);
  assert.match(text, /\/api\/v1\/\{tool\}\/quote: .*; free\n.*\/mcp: the tools for agents/);
  const ours = pageAt(createPages(FULL), "/llms.txt") ?? "";
  assert.doesNotMatch(ours, /A call costs|changes something|passes on/);
  const about = (tools: readonly Tool[]) => describeApi({ ...FULL, tools }).info.description;
  assert.match(
    about(tools),
    /`ok` true, unless the tool passes on what another service responds\./,
  );
  assert.match(about([SEVEN]), /`ok` true\. An error/);
});

test("no page names another price", () => {
  const pages = createPages({ ...FULL, tools: [SEVEN, FREE], freeCallCredits: 0 });
  for (const path of [...pathsOf(pages), "/llms.txt"]) {
    const page = pageAt(pages, path) ?? "";
    assert.doesNotMatch(page, /one credit|costs 1 credit|first call[^.<]* is free/i, path);
    assert.doesNotMatch(page, /first successful call of an account is free\./i, path);
  }
  for (const page of ["/", "/docs", "/llms.txt"].map((path) => pageAt(pages, path))) {
    assert.match(page ?? "", /0 to 7 credits, depending on the tool/);
  }
});
