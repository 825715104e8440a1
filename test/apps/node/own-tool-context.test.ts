import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import { runServer } from "../../http/server-process.ts";
import { eventually } from "../../http/test-api.ts";
import { listen } from "../../support/ports.ts";
import { importOf, inFolder, SECRET, shareProject, tool, toolProject } from "./tool-project.ts";

/** What an own tool gets besides its input: its secrets, the network, a log, and who calls. */

/** A tool that fetches what it is told to, and returns the text or the error. */
const fetcher = (members: string) =>
  tool(`input: { url: z.string() }, ${members} async run({ url }, { fetch }) {
    try { return { text: await (await fetch(url)).text() }; }
    catch (error) { return { error: String((error as Error).cause ?? error) }; }
  }`);

/** Aborts its request, which rejects with an error whose message nobody can change. */
const ABORTS = tool(
  'secrets: ["UPSTREAM_TOKEN"], async run(_, { fetch }) { await fetch("https://example.com/", { signal: AbortSignal.abort() }); return {}; }',
);

const upstream = createServer((request, response) => {
  if (request.url === "/elsewhere")
    response.writeHead(302, { Location: `http://localhost:${port}/` }).end();
  else response.end(`key ${request.headers["x-key"]}`);
});
after(() => upstream.close());
const port = await listen(upstream);
const base = `http://127.0.0.1:${port}`;

const project = shareProject({
  "tools/any.ts": fetcher(""),
  "tools/named.ts": fetcher('hosts: ["127.0.0.1"],'),
  "tools/sends.ts":
    tool(`secrets: ["UPSTREAM_TOKEN"], hosts: ["127.0.0.1"], effect: "read", input: { url: z.string() },
    async run({ url }, { fetch, secrets, account, callId, idempotencyKey, log }) {
      log("asking with " + secrets.UPSTREAM_TOKEN);
      const response = await fetch(url, { headers: { "X-Key": secrets.UPSTREAM_TOKEN } });
      return { length: (await response.text()).length, account, callId, idempotencyKey };
    }`),
  "tools/aborts.ts": ABORTS,
  "tools/breaks.ts": tool(`secrets: ["UPSTREAM_TOKEN"],
    run(_, { secrets: { UPSTREAM_TOKEN } }) {
      const cause = new Error("expired: " + UPSTREAM_TOKEN, { cause: "the clock" });
      throw new RangeError("wrong token " + UPSTREAM_TOKEN, { cause });
    }`),
  "tools/rejects.ts": `${importOf("{ InvalidInput }", "toolbooth")};
${tool(`secrets: ["UPSTREAM_TOKEN"], effect: "act", input: { text: z.string() },
    run({ text }, { secrets }) { throw new InvalidInput(text + " is no " + secrets.UPSTREAM_TOKEN, "text"); }`)}`,
});

describe("the context of an own tool", () => {
  let server: Awaited<ReturnType<typeof project>>;
  before(async () => {
    server = await project();
  });

  test("a tool that names no hosts reaches no private network, by address, by name or by what a name resolves to", async () => {
    for (const host of ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0x7f.1", "db"]) {
      const { json } = await server.call("any", { url: `http://${host}:${port}/` });
      assert.match(json.error, /is not on the public internet\. .+ `hosts`/, host);
    }
    assert.match((await server.call("any", { url: "no url" })).json.error, /Invalid URL/);
  });

  test("a tool that names hosts reaches these, and no other, also if one redirects there", async () => {
    assert.equal((await server.call("named", { url: `${base}/` })).json.text, "key undefined");
    for (const url of [`${base}/elsewhere`, "http://localhost/", "https://example.com/"]) {
      const { json } = await server.call("named", { url });
      assert.match(json.error, /is not one of the tool's `hosts`/, url);
    }
  });

  test("a tool has its secrets, and who calls, and logs with the name of the tool and the call", async () => {
    const sent = await server.call("sends", { url: base }, { "Idempotency-Key": "one" });
    assert.equal(sent.json.length, `key ${SECRET}`.length);
    const { account, callId, idempotencyKey } = sent.json;
    assert.match(account, /^acc_/);
    assert.match(callId, /^call_/);
    assert.equal(idempotencyKey, `${account}/sends/one`);
    const without = (await server.call("sends", { url: base })).json;
    assert.equal(without.idempotencyKey, without.callId);
    await eventually("the line is logged", async () => server.log().includes("asking with"));
    const line = server
      .log()
      .split("\n")
      .find((each) => each.includes("asking with"));
    const { level, msg, tool: name, callId: logged } = JSON.parse(line ?? "");
    assert.deepEqual(
      { level, msg, name, logged },
      { level: "info", msg: "asking with [UPSTREAM_TOKEN]", name: "sends", logged: callId },
    );
  });

  test("a rejected input is told without secrets, and is no fault of the tool", async () => {
    for (const text of ["first", "again"]) {
      const { status, json } = await server.call("rejects", { text }, { "Idempotency-Key": text });
      const detail = `${text} is no [UPSTREAM_TOKEN]`;
      assert.deepEqual([status, json.code, json.detail], [400, "invalid_request", detail]);
      assert.deepEqual(json.errors, [{ pointer: "/text", detail }]);
    }
    const { json } = await server.call("rejects", { text: "x" }, { "Idempotency-Key": "first" });
    assert.equal(json.detail, "x is no [UPSTREAM_TOKEN]", "its key is free");
    assert.doesNotMatch(server.log(), /is no \[UPSTREAM_TOKEN\]/);
  });

  test("the log has why a tool has thrown, and secrets are in no log, no response and no page", async () => {
    const failed = await server.call("breaks");
    assert.equal(failed.json.code, "tool_failed");
    await eventually("it is logged", async () => server.log().includes("wrong token"));
    assert.match(
      server.log(),
      /wrong token \[UPSTREAM_TOKEN\].+\[cause\]: Error: expired: \[UPSTREAM_TOKEN\].+\[cause\]: the clock/,
    );
    assert.equal((await server.call("aborts")).json.code, "tool_failed");
    await eventually("it is logged", async () => server.log().includes("AbortError"));
    const pages = await Promise.all(
      ["/openapi.json", "/docs/tool-sends", "/docs/tool-sends.md"].map(server.get),
    );
    for (const text of [server.log(), JSON.stringify(failed.json), ...pages])
      assert.ok(!text.includes(SECRET));
    for (const page of pages) assert.ok(!page.includes("UPSTREAM_TOKEN"));
  });
});

test("a setting that is missing stops the start, with a sentence that names the tool", async (t) => {
  const folder = toolProject(t, {
    "tools/asks.ts": tool('secrets: ["UPSTREAM_TOKEN"], run: () => ({})'),
    "tools/wrong.ts": tool('secrets: ["UPSTREAM_TOKEN"], run: () => ({})'),
  });
  const { code, written } = await runServer(t, { UPSTREAM_TOKEN: "" }, inFolder(folder));
  assert.equal(code, 1);
  assert.doesNotMatch(written, /^\s+at /m);
  // An older build is told first.
  assert.deepEqual(written.trim().split("\n").slice(-3), [
    "The tools cannot be served:",
    "tools/asks.ts: the tool asks needs the setting UPSTREAM_TOKEN, which is not set. Set it in the environment or in the file .env, and start the service again.",
    "tools/wrong.ts: the tool wrong needs the setting UPSTREAM_TOKEN, which is not set. Set it in the environment or in the file .env, and start the service again.",
  ]);
});
