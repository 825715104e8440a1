import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { before, describe, test } from "node:test";
import { openUpstream, type Upstream } from "../../../api/upstream.ts";
import { connectMcp } from "../../../http/mcp-client.ts";
import { applyMigrations } from "../../../stores/sql/d1-fixture.ts";
import { afterSuite } from "../../../support/after-suite.ts";
import { bareEnvironment } from "../../../support/bare-environment.ts";
import { newAddress, until } from "../../../support/dashboard-site.ts";
import { type EdgeSite, openEdgeSite } from "../../../support/edge-site.ts";
import { importOf, tool, toolProject, WORD_COUNT } from "../../node/tool-project.ts";
import { operatorOf, startSignIn, TOKEN } from "./fixture.ts";

/** A project with tools, built for Cloudflare, in workerd. */
const ROOT = path.join(import.meta.dirname, "../../../..");

function build(folder: string, env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [path.join(ROOT, "src/apps/start.js"), "build", "cloudflare"],
    { cwd: folder, env: { ...bareEnvironment(), ...env }, encoding: "utf8" },
  );
  return { status, stdout, stderr };
}

/** What a service does, by its path, and what a call of it gets. */
const FAILURES: Record<string, string> = {
  wrong: "upstream_rejected",
  denies: "upstream_failed",
  fails: "upstream_failed",
  moved: "upstream_failed",
  floods: "upstream_failed",
  resets: "upstream_failed",
  breaks: "upstream_failed",
  lies: "upstream_failed",
  hangs: "tool_timeout",
};

/** The one that hangs has a time limit of its own, and the others may take as long as a busy machine does. */
const names = ["list", ...Object.keys(FAILURES).filter((name) => name !== "hangs")];

/** A document of the upstream of the tests, with these operations. */
const documentOf = (base: string, names: readonly string[]) => ({
  ...{ openapi: "3.1.0", servers: [{ url: base }], security: [{ inHeader: [], inQuery: [] }] },
  paths: Object.fromEntries(
    names.map((name) => [`/${name}`, { get: { operationId: name, responses: {} } }]),
  ),
  components: {
    securitySchemes: {
      inHeader: { type: "http", scheme: "bearer" },
      inQuery: { type: "apiKey", in: "query", name: "key" },
    },
  },
});

/** The file of tools from such a document. */
const serviceTool = (document: string, names: readonly string[], timeLimitMs: number) =>
  `import { fromOpenApi } from "toolbooth";
${importOf("document", `../${document}.json`)} with { type: "json" };
export default fromOpenApi(document, {
  prices: ${JSON.stringify(Object.fromEntries(names.map((name) => [name, 3])))},
  security: { inHeader: "UPSTREAM_TOKEN", inQuery: "UPSTREAM_KEY" }, timeLimitMs: ${timeLimitMs},
});
`;

const SERVED = [
  ...[
    "digest",
    "forwards",
    "hangs",
    "misreports",
    "priced",
    "rejects",
    ...names,
    "throws",
    "waits",
  ],
  ...["word-count", "hash", "uuid"],
];

describe("a project's own tools at the edge", () => {
  const t = afterSuite();
  let folder: string;
  let upstream: Upstream;
  let edge: EdgeSite;
  let key: string;

  before(async () => {
    upstream = await openUpstream(t);
    folder = toolProject(t, {
      "tools/word-count.ts": WORD_COUNT,
      "tools/digest.ts": `${importOf("{ createHash }", "node:crypto")};
${importOf("bytes", "old-bytes")};
${importOf("{ two }", "../lib/two.ts")};
${tool('run: () => ({ hex: createHash("sha256").update(bytes("a")).digest("hex"), two })')}`,
      "lib/two.ts": "export const two: number = 2;",
      "node_modules/old-bytes/package.json": "{}",
      "node_modules/old-bytes/index.js":
        'module.exports = (text) => require("buffer").Buffer.from(text);',
      "tools/priced.ts": tool(
        'effect: "read", input: { text: z.string() }, price: ({ text }) => text.length, priceMax: 5, run: () => ({})',
      ),
      "tools/rejects.ts": `${importOf("{ InvalidInput }", "toolbooth")};
${tool('effect: "act", run: () => { throw new InvalidInput("It is sold out.", "item"); }')}`,
      "tools/throws.ts": tool('run: () => { throw new RangeError("no luck"); }'),
      "tools/waits.ts": tool("timeLimitMs: 50, run: () => new Promise<object>(() => {})"),
      "tools/misreports.ts": tool("output: { n: z.int() }, run: () => ({ n: 0.5 })"),
      "tools/forwards.ts": `import { forward, z } from "toolbooth";
export default forward({
  summary: "Forwards.", url: "${upstream.base}/well", input: { n: z.int() }, price: 2, effect: "act",
  secrets: ["UPSTREAM_TOKEN"], headers: ({ UPSTREAM_TOKEN }) => ({ "X-Token": UPSTREAM_TOKEN }),
});
`,
      "tools/service.ts": serviceTool("service", names, 20_000),
      "service.json": JSON.stringify(documentOf(upstream.base, names)),
      "tools/hangs.ts": serviceTool("hangs", ["hangs"], 1_000),
      "hangs.json": JSON.stringify(documentOf(upstream.base, ["hangs"])),
    });
    const built = build(folder, { TOOLBOOTH_BUILT_IN_TOOLS: "hash,uuid" });
    assert.equal(built.status, 0, built.stderr);
    assert.equal(
      built.stdout,
      `Wrote two Workers with ${SERVED.join(", ")} to dist/edge.
Wrote wrangler.jsonc and wrangler.site.jsonc. Put your address and the id of your database into them, and commit them; the page "Cloudflare" of the documentation says how to deploy.
`,
    );
    // As on a local machine: without tables and without a provider of emails.
    edge = await openEdgeSite(t, {
      ...{ project: folder, isBare: true },
      texts: {
        TOOLBOOTH_OPERATOR_TOKEN: TOKEN,
        ...{ MAIL_API_TOKEN: undefined, MAIL_API_URL: undefined, MAIL_FROM: undefined },
      },
      secrets: { UPSTREAM_TOKEN: "s3cret-token", UPSTREAM_KEY: "s3cret key&" },
    });
  });

  async function call(name: string, body: object = {}, headers: Record<string, string> = {}) {
    const response = await fetch(`${edge.base}/api/v1/${name}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    const header = (what: string) => response.headers.get(`credits-${what}`);
    const text = await response.text();
    return {
      ...{ status: response.status, text, json: JSON.parse(text) },
      ...{ charged: header("charged"), left: header("remaining") },
    };
  }
  async function account(): Promise<{ balance: number; held: number }> {
    const response = await fetch(`${edge.base}/api/v1/account`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    const { balance, held } = (await response.json()) as { balance: number; held: number };
    return { balance, held };
  }
  const balance = async () => (await account()).balance;

  test("the log says how to create the missing tables, and then shows emails", async () => {
    assert.equal((await fetch(`${edge.base}/docs`)).status, 200);
    const email = newAddress();
    const response = await startSignIn(email, {}, edge);
    assert.equal(response.status, 500, response.text);
    const { detail } = JSON.parse(response.text) as { detail: string };
    assert.equal(detail, "Something went wrong on our side. Try again in a moment.");
    await edge.cron();
    const hint = /D1 lacks tables.*d1 migrations list DB -c wrangler\.site\.jsonc/;
    await until("the hint", () => edge.logs.some((line) => hint.test(line)));

    await applyMigrations(await edge.miniflare.getD1Database("DB", "toolbooth-site"));
    assert.equal((await startSignIn(email, {}, edge)).status, 200);
    const isEmail = (line: string) => line.includes(email) && line.includes("Subject:");
    const message = await until("the email", () => edge.logs.find(isEmail));
    assert.match(message, /MAIL_API_TOKEN is not set/);
    assert.match(message, /Subject: Your code to sign up/);
    assert.ok(message.includes(`${edge.base}/sign-in/link#`));

    const operate = operatorOf(edge);
    await operate("account create", { email: "ada@example.com", credits: 100 });
    const order = { email: "ada@example.com", label: "key" };
    ({ key } = await operate<{ key: string }>("key create", order));
    // The first call is free.
    assert.equal((await call("uuid")).status, 200);
  });

  test("a call is charged, through the API and through MCP, and errors of the input are not", async () => {
    const first = await balance();
    const counted = await call("word-count", { text: "a b c" });
    assert.deepEqual([counted.json, counted.left], [{ ok: true, words: 3 }, String(first - 1)]);
    const client = await connectMcp({ url: `${edge.base}/mcp`, key, revision: "2026-07-28" });
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      SERVED,
    );
    const called = await client.callTool({ name: "word-count", arguments: { text: "a b" } });
    assert.deepEqual(called.structuredContent, { ok: true, words: 2 });
    await client.close();
    const wrong = await call("word-count", { txt: "a" });
    assert.deepEqual([wrong.status, wrong.json.code], [400, "invalid_request"]);
    assert.equal(await balance(), first - 2);
  });

  test("what workerd has of Node works in a tool and in its packages", async () => {
    const { json } = await call("digest");
    const hex = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb";
    assert.deepEqual(json, { ok: true, hex, two: 2 });
  });

  test("a call costs what its input says, or what the operator has set for the account, and so says its quote", async () => {
    const first = await balance();
    const operate = operatorOf(edge);
    const quote = await call("priced/quote", { text: "abc" });
    assert.deepEqual([quote.json, quote.left], [{ ok: true, credits: 3 }, String(first)]);
    assert.equal((await call("priced", { text: "abc" })).left, String(first - 3));
    const failed = await call("priced", { text: "abcdef" });
    assert.deepEqual([failed.status, failed.json.code], [500, "tool_failed"]);
    const account = "ada@example.com";
    await operate("price set", { tool: "priced", credits: 1, account });
    const { json } = await call("priced/quote", { text: "abc" });
    assert.deepEqual(json, { ok: true, credits: 1 });
    assert.equal((await call("priced", { text: "abc" })).left, String(first - 4));
    await operate("price remove", { tool: "priced", account });
    assert.equal((await call("priced", { text: "ab" })).left, String(first - 6));
  });

  test("a tool that throws, never settles or breaks its own schema fails its call, uncharged", async () => {
    const first = await balance();
    const found = await Promise.all(
      ["throws", "waits", "misreports"].map(async (name) => {
        const { status, json } = await call(name);
        return [name, status, json.code];
      }),
    );
    assert.deepEqual(found, [
      ["throws", 500, "tool_failed"],
      ["waits", 504, "tool_timeout"],
      ["misreports", 500, "tool_failed"],
    ]);
    assert.equal(await balance(), first);
    const logged = () => edge.logs.filter((line) => line.includes("no luck"));
    await until("it is logged", () => logged().length > 0);
    assert.equal(logged().length, 1, "with the place in the code");
    assert.match(logged()[0] ?? "", /RangeError: no luck\\n {4}at /);
  });

  test("a tool that rejects its input charges and logs nothing, and its key is free", async () => {
    const first = await balance();
    for (const _ of ["first", "again"]) {
      const { status, json } = await call("rejects", {}, { "Idempotency-Key": "one" });
      assert.deepEqual([status, json.code], [400, "invalid_request"]);
      assert.deepEqual(json.errors, [{ pointer: "/item", detail: "It is sold out." }]);
    }
    assert.equal(await balance(), first);
    assert.ok(!edge.logs.some((line) => line.includes("sold out")));
  });

  test("the site describes the tools, and no code of them is sent to browsers", async () => {
    const get = async (to: string) => {
      const response = await fetch(edge.base + to);
      assert.equal(response.status, 200, to);
      return response.text();
    };
    const { paths } = JSON.parse(await get("/openapi.json"));
    assert.ok(paths["/api/v1/word-count"] && !paths["/api/v1/echo"]);
    assert.match(await get("/docs/tool-word-count"), /Counts the words of a text\./);
    assert.equal((await call("echo")).status, 404);
  });

  test("a call is forwarded with the secret and charged once, and its repeat is the kept response", async () => {
    const before = await account();
    const named = { "Idempotency-Key": "one" };
    const sent = await call("forwards", { n: 1 }, named);
    assert.deepEqual([sent.text, sent.charged], ['{"n":1}', "2"]);
    const [{ method, url, headers, body } = assert.fail()] = upstream.received;
    assert.deepEqual(
      [method, url, body, headers["x-token"], headers["accept-encoding"]],
      ["POST", "/well", '{"n":1}', "s3cret-token", "identity"],
    );
    assert.match(String(headers["idempotency-key"]), /^acc_\w+\/forwards\/one$/);
    const repeat = await call("forwards", { n: 1 }, named);
    assert.deepEqual([repeat.text, repeat.charged], [sent.text, "0"]);
    assert.equal(upstream.received.length, 1);
    assert.deepEqual(await account(), { balance: before.balance - 2, held: 0 });
  });

  test("an operation of a document is sent with the secrets that its security schemes name", async () => {
    upstream.received.length = 0;
    const { text, charged } = await call("list");
    assert.deepEqual([text, charged], ["[1, 2.0]", "3"]);
    const [{ url, headers } = assert.fail()] = upstream.received;
    assert.deepEqual(
      [url, headers.authorization],
      ["/list?key=s3cret%20key%26", "Bearer s3cret-token"],
    );
  });

  test("a service that fails in any way charges and holds nothing, and no secret is in response or log", async () => {
    const before = await account();
    for (const [name, code] of Object.entries(FAILURES)) {
      const { text, json } = await call(name);
      assert.equal(json.code, code, text);
      assert.doesNotMatch(text, /s3cret/);
    }
    assert.deepEqual(await account(), before);
    assert.doesNotMatch(edge.logs.join("\n"), /s3cret/);
  });

  test("a second build keeps the configurations, and replaces the Workers", () => {
    const config = path.join(folder, "wrangler.jsonc");
    const before = readFileSync(config, "utf8");
    assert.match(
      before,
      /"build": \{ "command": "[^"]+ build cloudflare", "watch_dir": "tools" \}/,
    );
    const again = build(folder);
    assert.equal(again.status, 0, again.stderr);
    assert.match(again.stdout, /^Wrote two Workers with digest, .+, echo to dist\/edge\.\n$/);
    assert.equal(readFileSync(config, "utf8"), before);
  });
});

test("a tool that needs Node fails the build, with the file and the import", (t) => {
  const folder = toolProject(t, {
    "tools/read.ts": `${importOf("{ readFileSync }", "node:fs")};
${tool('run: () => ({ text: readFileSync("a.txt", "utf8") })')}`,
    "tools/deep.ts": `${importOf("{ run }", "../lib/run.ts")};\n${tool("run")}`,
    "lib/run.ts": `// Starts a program.\n${importOf("{ spawnSync }", "child_process")};
export const run = () => ({ status: spawnSync("true").status });`,
    "tools/packed.ts": `${importOf("fast", "fast-list")};\n${tool("run: () => fast()")}`,
    "node_modules/fast-list/package.json": "{}",
    "node_modules/fast-list/index.js": `const { Worker } = require("node:worker_threads");
const load = () => require("./fast.node");
module.exports = () => ({ isWorker: Worker !== undefined, load: typeof load });`,
    "tools/good.ts": tool("run: () => ({})"),
  });
  const built = build(folder);
  const end =
    "does not work in Cloudflare Workers. Do without it, or serve this tool from a server.";
  assert.deepEqual([built.status, built.stdout], [1, ""]);
  assert.deepEqual(built.stderr.trim().split("\n"), [
    `tools/deep.ts: lib/run.ts:2 imports node:child_process, which needs Node and ${end}`,
    `tools/packed.ts: node_modules/fast-list/index.js:2 imports ./fast.node, which is an addon for Node and ${end}`,
    `tools/packed.ts: node_modules/fast-list/index.js:1 imports node:worker_threads, which needs Node and ${end}`,
    `tools/read.ts:1: it imports node:fs, which needs Node and ${end}`,
  ]);
  assert.ok(!existsSync(path.join(folder, "dist")));
});

test("a wrong tool fails the build as it fails a start", (t) => {
  const folder = toolProject(t, { "tools/word-count.ts": WORD_COUNT.replace("run:", "rum:") });
  const wrong = build(folder);
  assert.deepEqual([wrong.status, wrong.stdout], [1, ""]);
  assert.match(wrong.stderr, /^tools\/word-count\.ts:3: `rum` is not a member of a tool/);
});
