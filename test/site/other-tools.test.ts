import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import * as z from "zod/mini";
import { describeApi } from "#api/openapi/openapi.ts";
import { welcome } from "#apps/node/demo-account.ts";
import { listAppPages } from "#site/app-pages.ts";
import { renderAppPage } from "#site/app-shell.ts";
import { toolReference } from "#site/docs/tool-reference.ts";
import { firstCall } from "#site/first-call.ts";
import { createPages } from "#site/pages.ts";
import { curlCode } from "#site/request-code.ts";
import { defineTool, type Tool } from "#tools/define-tool.ts";
import echo from "#tools/echo/tool.ts";
import { about, textField } from "#tools/fields.ts";
import { TOOLS } from "#tools/registry.ts";
import { sampleCall } from "../../web/home/sample-call.ts";
import { OWN_TOOL } from "../web/own-tool.ts";
import { askMcp, FULL, pathsOf } from "./pages-server.ts";

/** A service names the tools that it has, and no other: nothing depends on one of those that come in the box. */

const madeUp = defineTool({
  name: "word-count",
  title: "Word count",
  summary: "The number of words in a text.",
  description: "Counts the words of `text`.",
  price: 3,
  effect: "none",
  input: z.strictObject({ text: textField(1_000, "The text to count.") }),
  output: z.strictObject({ ok: about(z.literal(true), "True on success."), words: z.int() }),
  body: "required",
  bodyBytesMax: 10_000,
  fieldBytesMax: { text: 1_000 },
  heavyFromBytes: Number.POSITIVE_INFINITY,
  examples: [],
  run: ({ text }) => ({ ok: true as const, words: text.split(/\s+/).length }),
}) as Tool;

/** Pages of the documentation that are named like the tools of a test. */
const PAGES: Record<string, string> = { errors: "Errors", security: "Security" };

const SITEMAP_AND_SEARCH = ["/sitemap.xml", "/docs/search.json"];

/** For operators: figures that were measured with the tools that come in the box, and samples of what commands print. */
const OF_THE_SOFTWARE = ["/docs/benchmarks", "/docs/cli"];

for (const [kind, tools] of [
  ["only echo", [echo as Tool]],
  ["a tool of its own without an example", [madeUp]],
] as const) {
  const options = { ...FULL, tools };
  const missing = TOOLS.filter(({ name }) => !tools.some((tool) => tool.name === name));
  const pages = createPages(options);
  const names = missing.map(({ name }) => name).join("|");
  /** Names in code, quotes and addresses: `hash` and `echo` are words too. */
  const named = new RegExp(
    `/(?:v1|docs|tools)/(?:${names})\\b|[\`"']\\.?(?:${names})[\`"']|<code>(?:${names})</code>|qr-code|markdown-render|hmacKey|hashText`,
  );
  const assertNone = (text: string, where: string) => {
    const found = named.exec(text);
    assert.equal(found && text.slice(found.index - 60, found.index + 60), null, where);
  };

  describe(`a service with ${kind}`, () => {
    it("has no page, and no Markdown, that names another tool", () => {
      const shown = pathsOf(pages).filter((path) => !OF_THE_SOFTWARE.includes(path));
      for (const path of [...shown, "/llms.txt", "/sitemap.xml"]) {
        assertNone(pages.find(path)?.body ?? "", path);
        if (path.startsWith("/docs") && path !== "/docs/topics")
          assertNone(pages.find(`${path}.md`)?.body ?? "", `${path}.md`);
      }
      const index = JSON.parse(pages.find("/docs/search.json")?.body ?? "") as { href: string }[];
      const found = index.filter(({ href }) => !OF_THE_SOFTWARE.includes(href.split("#")[0] ?? ""));
      assertNone(JSON.stringify(found), "the search");
      for (const page of listAppPages(tools))
        assertNone(renderAppPage(page, options, null), page.path);
    });

    it("links no page that is not there", () => {
      const app = new Set(listAppPages(tools).map(({ path }) => path));
      for (const path of pathsOf(pages)) {
        for (const [, target = ""] of (pages.find(path)?.body ?? "").matchAll(
          / href="(\/[^"#]*)/g,
        )) {
          const isThere =
            app.has(target) ||
            pages.find(target) !== undefined ||
            /^\/(?:openapi\.json|icon|favicon|assets)/.test(target);
          assert.ok(isThere, `${path} links ${target}`);
        }
      }
      assert.equal(app.has("/tools"), tools[0]?.browser === true);
    });

    it("describes its own tools alone to programs and agents", async () => {
      assertNone(JSON.stringify(describeApi(options)), "openapi.json");
      assertNone(JSON.stringify(await askMcp(options, "tools/list")), "tools/list");
    });

    it("prints and shows a first call of its own", () => {
      const { tool, request } = firstCall(tools);
      const line = welcome("tb_key", "http://127.0.0.1:8787", 100, { tool, request });
      assertNone(line, "the start");
      assert.ok(line.includes(`curl -s http://127.0.0.1:8787/api/v1/${tool.name} -H `));
      const shown = sampleCall("", null, {
        firstCall: { tool: tool.name, request },
        keyVariable: "TOOLBOOTH_KEY",
      });
      assert.ok(curlCode(shown).includes(`/api/v1/${tool.name}`));
      const given = tool.verbatim === undefined ? request : JSON.stringify(request);
      assert.equal(tool.input.safeParse(given).success, true);
    });
  });
}

describe("a service with a tool of its operator", () => {
  const linkedFrom = (tools: readonly Tool[]) => {
    const pages = createPages({ ...FULL, tools });
    const shown = [...pathsOf(pages), "/sitemap.xml", "/llms.txt", "/docs/search.json"];
    return shown.filter((path) => pages.find(path)?.body.includes("/tools/word-count"));
  };

  it("has a page for it where its author says so, and links the page", () => {
    const tools = [...TOOLS, OWN_TOOL];
    assert.deepEqual(linkedFrom(tools), ["/", "/docs/tool-word-count", ...SITEMAP_AND_SEARCH]);
    const page = listAppPages(tools).find(({ path }) => path === "/tools/word-count");
    assert.equal(page?.title, "Word count");
    assert.doesNotMatch(createPages({ ...FULL, tools }).find("/")?.body ?? "", /pages are free/);
  });

  it("has its documentation before that of the tools that come in the box", () => {
    const { docs } = createPages({ ...FULL, tools: [OWN_TOOL, ...TOOLS] });
    const listed = docs?.entries.filter(({ section }) => section === "Tools") ?? [];
    assert.deepEqual(
      listed.slice(0, 2).map(({ slug }) => slug),
      ["tool-word-count", TOOLS[0]?.name],
    );
  });

  it("has its documentation beside a page of the same name, which keeps its address", () => {
    for (const name of ["errors", "security", "topics", "search", "hash"]) {
      const tools = [{ ...OWN_TOOL, name }, ...TOOLS.filter((tool) => tool.name !== name)];
      const pages = createPages({ ...FULL, tools });
      const own = `/docs/tool-${name}`;
      assert.match(pages.find(`${own}.md`)?.body ?? "", new RegExp(`/api/v1/${name}\\b`));
      assert.ok(pages.find("/docs")?.body.includes(`href="${own}"`), "the contents");
      assert.ok(pages.find(own)?.body.includes(`href="/tools/${name}"`), "its page with a form");
      assert.ok(pages.find("/sitemap.xml")?.body.includes(`${own}</loc>`));
      const agents = pages.find("/llms.txt")?.body ?? "";
      assert.ok(agents.includes(`${own}.md): POST`));
      assert.equal(agents.split(`/docs/${name}.md`).length, name in PAGES ? 2 : 1);
      const page = pages.find(`/docs/${name}`)?.body ?? "";
      assert.equal(page.includes(`<h1>${PAGES[name]}</h1>`), name in PAGES);
    }
  });

  it("has none, and no link to one, where its author does not", () => {
    for (const browser of [false, undefined]) {
      const { browser: _, ...without } = OWN_TOOL;
      const tools = [...TOOLS, browser === undefined ? without : { ...without, browser }];
      assert.deepEqual(linkedFrom(tools), []);
      assert.ok(!listAppPages(tools).some(({ path }) => path === "/tools/word-count"));
    }
  });

  it("has no page on browser tools where each of its pages calls the API", () => {
    const pages = createPages({ ...FULL, tools: [OWN_TOOL] });
    assert.equal(pages.find("/docs/browser-tools"), undefined);
    assert.doesNotMatch(pages.find("/pricing")?.body ?? "", /browser tools/);
  });
});

test("a tool without an output says that its response has what it returns, and a field without a description only its default", () => {
  const options = { ...FULL, tools: [OWN_TOOL] };
  const page = createPages(options).docs?.markdown("/docs/tool-word-count") ?? "";
  assert.match(page, /\| `ok` .+\n\nThe other fields are what the tool returns\./);
  const closed = createPages({ ...FULL, tools: [madeUp] }).docs?.markdown("/docs/word-count") ?? "";
  assert.doesNotMatch(closed, /The other fields/);
  const { CallWordCountInput, CallWordCountResult } = describeApi(options).components.schemas;
  assert.equal(CallWordCountResult?.description, "`ok`, and what the tool returns.");
  const { language, unique } = CallWordCountInput?.properties ?? {};
  assert.equal(language?.description, "Default: `any`.");
  assert.equal(unique?.description, undefined);
});

test("the quote on the page of a tool is an example, because its function alone knows the price", () => {
  for (const [price, text] of [
    [20, "For a call that costs 3 credits, the response is:"],
    [1, "For a call that costs one credit, the response is:"],
  ] as const) {
    const tools = [{ ...madeUp, price, priceOf: () => 0 }];
    const page = createPages({ ...FULL, tools }).docs?.markdown("/docs/word-count") ?? "";
    assert.ok(page.includes(text), page);
  }
});

test("the example of the front page never goes below zero, whatever calls cost", () => {
  for (const price of [0, 1, 3, 99, 101, 20_000, 1_000_000]) {
    const tools = [{ ...madeUp, price }];
    const { body } = createPages({ ...FULL, tools }).find("/") as { body: string };
    const [, table = ""] = /<table class="ledger">(.+?)<\/table>/s.exec(body) ?? [];
    const balances = [...table.matchAll(/<td>([−\d,]+)<\/td><\/tr>/g)].map(
      ([, text]) => text ?? "",
    );
    assert.equal(balances.length, 5, table);
    for (const balance of balances) assert.match(balance, /^[\d,]+$/, `${price}`);
  }
});

test("the reference has the fields of objects, of items and of each form, and names forms only where there are fields", () => {
  const circle = z.strictObject({ kind: z.literal("circle"), radius: z.number().check(z.gt(0)) });
  const square = z.strictObject({ kind: z.literal("square"), side: z.number() });
  const shape = z.discriminatedUnion("kind", [circle, square]);
  const referenceOf = (input: unknown) =>
    toolReference(madeUp.name, { ...FULL, tools: [{ ...madeUp, input } as unknown as Tool] });
  const radius = /^\| `radius` \(required\) \| number; more than 0 \|/m;
  for (const [input, text] of [
    [shape, "The request has one of these forms:"],
    [z.strictObject({ shape }), "`shape` has one of these forms:"],
    [z.strictObject({ all: z.array(shape) }), "Each item of `all` has one of these forms:"],
    [z.strictObject({ one: z.strictObject({ two: circle }) }), "`one.two` has these fields:"],
    [z.array(circle), "Each item of the request has these fields:"],
  ] as const) {
    const reference = referenceOf(input);
    assert.ok(reference.includes(`${text}\n\n| Field `), `${text}\n${reference}`);
    assert.match(reference, radius, text);
  }
  assert.match(referenceOf(shape), /Fields can also be a form/);
  const list = z.array(z.number()).check(z.minLength(1));
  assert.match(referenceOf(list), /Its type: array of number; 1 item or more\./);
  assert.doesNotMatch(referenceOf(list), /Fields can also be a form/);
  const tools = [{ ...madeUp, input: list } as unknown as Tool];
  const { paths } = describeApi({ ...FULL, tools });
  const { content } = paths["/api/v1/word-count"]?.post?.requestBody ?? assert.fail();
  assert.deepEqual(Object.keys(content), ["application/json"]);
  assert.doesNotMatch(paths["/api/v1/word-count"]?.post?.requestBody?.description ?? "", /form/);
});

test("the reference of an own tool has its description, unless that is the summary", () => {
  const referenceOf = (description: string) =>
    toolReference(OWN_TOOL.name, { ...FULL, tools: [{ ...OWN_TOOL, description }] });
  const more = "Counts words.\n\nHyphens do *not* part words.";
  assert.ok(referenceOf(more).startsWith(`${more}\n\n\`\`\`http\n`), referenceOf(more));
  assert.ok(referenceOf(OWN_TOOL.summary).startsWith("```http\n"));
  assert.ok(referenceOf(OWN_TOOL.description).startsWith("```http\n"));
});

test("the reference says of a field that may be null which other type it has", () => {
  const input = z.strictObject({
    limit: z.nullable(z.int()),
    all: z.nullable(z.array(z.string())),
    tag: z.nullable(z.enum(["dog", "cat"])),
  });
  const tools = [{ ...madeUp, input } as unknown as Tool];
  const reference = toolReference(madeUp.name, { ...FULL, tools });
  assert.match(reference, /^\| `limit` \(required\) \| integer or null \|/m);
  assert.match(reference, /^\| `all` \(required\) \| array of string or null \|/m);
  assert.match(reference, /^\| `tag` \(required\) \| string or null; `dog`, `cat` \|$/m);
});
