import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { loadTools, ToolsError } from "../../../src/apps/node/tools-folder.ts";
import { importOf, shareProject, tool, toolProject, WORD_COUNT } from "./tool-project.ts";

/** The operator's tools: which files are tools, what is wrong with those that are not, and what follows from those that are. */

const namesOf = (tools: readonly { name: string }[]) => tools.map(({ name }) => name);
const load = (folder: string, builtIn: readonly string[] | null = []) =>
  loadTools(builtIn, path.join(folder, "tools"));

describe("files", () => {
  test("files of TypeScript and JavaScript are tools; tests, names that begin with _ and folders are none", async (t) => {
    const folder = toolProject(t, {
      "tools/word-count.ts": WORD_COUNT,
      "tools/word-count.test.ts": "throw new Error('a test is not loaded');",
      "tools/types.d.ts": "export {};",
      "tools/plain.js": tool("run: () => ({})"),
      "tools/module.mjs": tool("run: () => ({})"),
      "tools/_shared.ts": "throw new Error('not loaded');",
      "tools/lib/deep.ts": "throw new Error('not loaded');",
      "tools/README.md": "# Tools",
      "tools/data.json": "{}",
    });
    const { tools, messages } = await load(folder);
    assert.deepEqual(namesOf(tools), ["module", "plain", "word-count"]);
    assert.deepEqual(messages, []);
  });

  test("a tool may import other files of the project, JSON and packages", async (t) => {
    const folder = toolProject(t, {
      "tools/a.ts": `${importOf("{ two }", "../lib/two.ts")};
${importOf("data", "./data.json")} with { type: "json" };
import three from "three-package";
${tool("run: () => ({ sum: two + data.one + three })")}`,
      "lib/two.ts": "export const two: number = 2;",
      "tools/data.json": '{ "one": 1 }',
      "node_modules/three-package/package.json": '{ "type": "module", "exports": "./index.js" }',
      "node_modules/three-package/index.js": "export default 3;",
    });
    assert.deepEqual(namesOf((await load(folder)).tools), ["a"]);
  });

  test("two tools have no operation of one name, because it names their schemas", async (t) => {
    const folder = toolProject(t, {
      "tools/md5.ts": tool('operation: "hashText", run: () => ({})'),
      "tools/sha-3.ts": tool("run: () => ({})"),
      "tools/sha3.ts": tool("run: () => ({})"),
    });
    await assert.rejects(load(folder, ["hash"]), {
      message: `tools/sha3.ts: the operation callSha3 of sha3 is also that of sha-3; give it another \`operation\`
tools/md5.ts: the operation hashText of md5 is also that of hash; give it another \`operation\``,
    });
  });

  test("a file may have several tools, as those of an OpenAPI document", async (t) => {
    const document = {
      ...{ openapi: "3.0.0", servers: [{ url: "https://example.com" }] },
      paths: { "/pets": { get: { operationId: "listPets" }, post: {} } },
    };
    const folder = toolProject(t, {
      "tools/count.ts": `import { defineTool, z } from "toolbooth";
const one = defineTool({ summary: "One.", input: {}, price: 1, run: () => ({}) });
export default { "count-words": one, "count-lines": one };
`,
      "tools/pets.ts": `import document from "../pets.json" with { type: "json" };
import { fromOpenApi } from "toolbooth";
export default fromOpenApi(document, { prices: { listPets: 1, "POST /pets": 2 } });
`,
      "pets.json": JSON.stringify(document),
      "tools/shops.ts": `import { fromOpenApi } from "toolbooth";
export default fromOpenApi(import.meta.dirname + "/../shops.yaml", { prices: { listShops: 1 } });
`,
      "shops.yaml": `openapi: 3.0.0
servers: [{ url: https://example.com }]
paths:
  /shops:
    get: { operationId: listShops }
`,
    });
    const { tools, files } = await load(folder);
    const all = ["count-words", "count-lines", "list-pets", "post-pets", "list-shops"];
    assert.deepEqual(namesOf(tools), all);
    assert.deepEqual(namesOf(files), all);
    writeFileSync(path.join(folder, "tools/more.ts"), WORD_COUNT);
    writeFileSync(
      path.join(folder, "tools/twice.ts"),
      `import one from "./more.ts";\nexport default { more: one, Bad: one };\n`,
    );
    await assert.rejects(
      load(folder),
      /^\w+: tools\/twice\.ts: more\.ts has a tool of the same name, more$/,
    );
  });

  test("every wrong file is named with its line and the reason, in one message", async (t) => {
    const folder = toolProject(t, {
      "tools/Bad_Name.ts": WORD_COUNT,
      "tools/account.ts": WORD_COUNT,
      "tools/twice.js": tool("run: () => ({})"),
      "tools/twice.ts": WORD_COUNT,
      "tools/empty.ts": "export const nothing = 1;",
      "tools/enum.ts": `const a = 1;\nenum Color { Red }\n${WORD_COUNT}`,
      "tools/effect.ts": WORD_COUNT.replace('"none"', '"write"'),
      "tools/crash.ts": WORD_COUNT.replace('"none"', '"read", onCrash: "charge"'),
      "tools/members.ts": `${WORD_COUNT.replace("summary", "sumary").replace("price: 1", "price: 0.5").replace('  effect: "none",\n', "")}`,
      "tools/missing.ts": `// a comment\nimport nothing from "nothing-there";\n${WORD_COUNT}`,
      "tools/near.ts": `${importOf("nothing", "./nothing.ts")};\n${WORD_COUNT}`,
      "tools/syntax.js": "const a = 1;\nconst b = = 2;\n",
      "tools/throws.ts": "\n\nthrow new Error('no database');\n",
      "tools/number.ts": "throw 7;",
      "tools/date.ts": WORD_COUNT.replace("z.string()", "z.date()"),
    });
    const error = await load(folder).then(
      () => assert.fail("the folder is served"),
      (error: Error) => error,
    );
    assert.ok(error instanceof ToolsError);
    assert.deepEqual(error.message.split("\n"), [
      "tools/Bad_Name.ts: the name of a tool has lowercase letters, digits and hyphens between them, such as `word-count`; rename the file, or begin its name with `_` if it is not a tool",
      "tools/account.ts: the name `account` is reserved; rename the file",
      "tools/twice.ts: twice.js is a tool of the same name; rename one of them",
      'tools/crash.ts:3: `onCrash` must be "release" or "charge", and only a tool with `effect: "act"` has it; got "charge".',
      "tools/date.ts:3: `input` has a type that JSON does not have: Date cannot be represented in JSON Schema. Use one that JSON has, such as `z.iso.datetime()` for a time.",
      'tools/effect.ts:3: `effect` must be "none" (it only computes), "read" (it looks something up) or "act" (it changes something); got "write".',
      'tools/empty.ts: its default export must be a tool: `export default defineTool({ … })`, with `import { defineTool } from "toolbooth"`',
      "tools/enum.ts:2: TypeScript enum is not supported: Node removes the types and compiles nothing, so only syntax that can be removed works",
      "tools/members.ts:3: `sumary` is not a member of a tool; did you mean `summary`?",
      "tools/members.ts:3: `summary` must be a sentence that says what the tool does.",
      "tools/members.ts:3: `price` must be a whole number of credits from 0 to 1000000, or a function of the input; got 0.5.",
      "tools/missing.ts:2: the package `nothing-there` is not installed; run `npm install nothing-there`",
      `tools/near.ts:1: there is no file ${path.join(folder, "tools/nothing.ts")}`,
      "tools/number.ts: it threw 7",
      "tools/syntax.js:2: Unexpected token '='",
      "tools/throws.ts:3: no database",
    ]);
  });

  test("a file whose code ends the process, or rejects a promise, is named", async (t) => {
    const exits = toolProject(t, { "tools/exits.ts": "process.exit(0);" });
    await assert.rejects(load(exits), /^Error: tools\/exits\.ts: its code ended the thread/);
    const rejects = toolProject(t, {
      "tools/rejects.ts":
        "Promise.reject(new Error('no luck')); await new Promise(() => setInterval(() => {}, 1e6));",
    });
    await assert.rejects(load(rejects), /^Error: tools\/rejects\.ts: reading it failed: no luck$/);
  });
});

describe("built-in tools", () => {
  test("without a folder they are all there; the setting leaves some, or none", async (t) => {
    const bare = toolProject(t, {});
    assert.deepEqual(namesOf((await load(bare, null)).tools), [
      ...["markdown-render", "qr-code", "hash", "uuid", "echo"],
    ]);
    assert.deepEqual(namesOf((await load(bare, ["uuid", "hash"])).tools), ["hash", "uuid"]);
    await assert.rejects(load(bare), /There are no tools to serve: the folder tools\/ has none/);
    await assert.rejects(
      load(bare, ["hsah"]),
      /there is no built-in tool called hsah; did you mean hash\?/,
    );
  });

  test("a file of the same name replaces one, and the start says so", async (t) => {
    const folder = toolProject(t, { "tools/hash.ts": WORD_COUNT });
    const { tools, messages } = await load(folder, ["hash", "uuid"]);
    assert.deepEqual(namesOf(tools), ["hash", "uuid"]);
    assert.equal(tools[0]?.summary, "Counts the words of a text.");
    assert.deepEqual(messages, ["tools/hash.ts replaces the built-in tool hash."]);
  });
});

test("a tool of JavaScript that Node takes for CommonJS is named, with what to do", async (t) => {
  const folder = toolProject(t, {
    "package.json": '{ "type": "commonjs" }',
    "tools/exports.js": `const { defineTool, z } = require("toolbooth");
module.exports = defineTool({ summary: "A tool.", input: {}, price: 1, effect: "none", run: () => ({}) });`,
  });
  assert.deepEqual(namesOf((await load(folder)).tools), ["exports"]);
  const wrong = toolProject(t, {
    "package.json": '{ "type": "commonjs" }',
    "tools/plain.js": tool("run: () => ({})"),
  });
  await assert.rejects(load(wrong), {
    message:
      "tools/plain.js:1: Cannot use import statement outside a module: package.json says that files with this ending are CommonJS. Run `npm pkg set type=module`, or name the file `*.mjs`",
  });
});

const mark = "a-line-of-the-code";
const marked = (members: string) => tool(`${members} run: () => ({ mark: "${mark}" })`);

const project = shareProject({
  "tools/word-count.ts": WORD_COUNT,
  "tools/as-read.ts": `${importOf("{ factor }", "../lib/factor.ts")};
${importOf("more", "../lib/more.json")} with { type: "json" };
${WORD_COUNT.replace("length }", "length * factor + more }")}`,
  "lib/factor.ts": "export const factor: number = 10;",
  "lib/more.json": "1",
  "tools/open.ts": marked("browser: true, title: 'Open to all',"),
  "tools/shut.ts": marked(""),
});

test("a tool runs as it was read at the start, whatever has become of its files before its first call", async () => {
  const { folder, call } = await project();
  writeFileSync(path.join(folder, "tools/as-read.ts"), WORD_COUNT.replace("run:", "rum:"));
  writeFileSync(path.join(folder, "lib/more.json"), "2");
  rmSync(path.join(folder, "lib/factor.ts"));
  assert.deepEqual((await call("as-read", { text: "a b" })).json, { ok: true, words: 21 });
});

test("tools of TypeScript are served without a warning where package.json has no type", async () => {
  const { call, written } = await project();
  assert.equal((await call("word-count", { text: "a b" })).status, 200);
  assert.doesNotMatch(written(), /Warning|MODULE_TYPELESS/);
});

test("a tool has a page if its author says so, and its code is not sent with it", async () => {
  const { base, get } = await project();
  const statuses = ["open", "open.json", "shut", "shut.json"].map(
    async (name) => (await fetch(`${base}/tools/${name}`)).status,
  );
  // Without a build of the pages they are not there yet.
  const [page, ...others] = await Promise.all(statuses);
  assert.ok(page === 200 || page === 503);
  assert.deepEqual(others, [200, 404, 404]);
  const described = await get("/tools/open.json");
  assert.equal(JSON.parse(described).title, "Open to all");
  const shown = [described, await get("/tools/open"), await get("/openapi.json")];
  assert.doesNotMatch(shown.join("\n"), new RegExp(mark));
  assert.doesNotMatch(await get("/"), /\/tools\/shut/);
});

test("twelve lines give a route, checks, a price, a description, documentation, MCP and a line of the log", async () => {
  const { call, balance, get, log, askAgent } = await project();
  const before = await balance();
  const made = await call("word-count", { text: "a b  c" });
  assert.deepEqual([made.status, made.charged, made.json], [200, "1", { ok: true, words: 3 }]);

  const wrong = await call("word-count", { text: 7, txt: "" });
  assert.equal(wrong.status, 400);
  assert.deepEqual(wrong.json.errors, [
    { pointer: "/text", detail: "must be a string; got 7" },
    { pointer: "/txt", detail: "unknown field; did you mean `text`?" },
  ]);
  const missing = await call("word-count", {});
  assert.deepEqual(missing.json.errors, [{ pointer: "/text", detail: "is required" }]);

  const twice = { "Idempotency-Key": "twelve-lines" };
  const first = await call("word-count", { text: "x" }, twice);
  const again = await call("word-count", { text: "x" }, twice);
  assert.deepEqual([first.charged, again.charged, again.json], ["1", "0", first.json]);

  const { result } = await askAgent("tools/call", {
    ...{ name: "word-count", arguments: { text: "four words are here" } },
  });
  assert.match(JSON.stringify(result), /\\?"words\\?":4/);
  assert.equal(await balance(), before - 3);

  const api = JSON.parse(await get("/openapi.json"));
  const { post } = api.paths["/api/v1/word-count"];
  assert.deepEqual(
    [post.operationId, post.summary, post["x-price"]],
    ["callWordCount", "Counts the words of a text.", { credits: 1 }],
  );
  assert.deepEqual(api.components.schemas.CallWordCountInput.required, ["text"]);
  assert.equal(api.components.schemas.CallWordCountInput.properties.text.type, "string");
  assert.equal(api.components.schemas.CallWordCountResult.properties.ok.const, true);

  assert.match(await get("/docs/tool-word-count.md"), /POST http:\/\/\S+\/api\/v1\/word-count/);
  assert.match(await get("/docs/tool-word-count"), /Counts the words of a text\./);
  assert.match(await get("/llms.txt"), /word-count/);
  assert.match(log(), /"route":"\/api\/v1\/word-count"/);
});
