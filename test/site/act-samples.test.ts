import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import * as z from "zod";
import { describeOwnTool, toolOfDescription } from "#api/openapi/tool-description.ts";
import { welcome } from "#apps/node/demo-account.ts";
import { firstCall } from "#site/first-call.ts";
import { createPages } from "#site/pages.ts";
import { type CallShown, curlCode, traitsOf } from "#site/request-code.ts";
import { forward } from "#tools/forward.ts";
import { ownTool } from "#tools/own-tool.ts";
import { sampleCall } from "../../web/home/sample-call.ts";
import { showCall } from "../../web/tools/call-plan.ts";
import { createCallKeys, sendCall } from "../../web/tools/send-call.ts";
import { fieldsOf } from "../../web/tools/tool-fields.ts";
import { serveHttp } from "../support/http-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { FULL } from "./pages-server.ts";
import { RUNNABLE, runSample } from "./sample-programs.ts";

/** The samples of a tool that changes the world and passes on what a service responds: pasted as they are, they succeed. */

const ACT = toolOfDescription(
  describeOwnTool(
    ownTool(
      "print-letter",
      forward({
        ...{ summary: "Prints a letter.", url: "http://127.0.0.1:9000/", price: 2 },
        input: { text: z.string() },
        browser: true,
      }),
    ),
  ),
);
const BODY = { text: "Hello" };
const KEY = "Idempotency-Key";

/** JSON without `ok`, and what is no JSON. */
const RESPONSES: [type: string, body: Buffer][] = [
  ["application/json", Buffer.from('{"id":7}')],
  ["application/pdf", Buffer.from("%PDF-1.7\n\0\xff", "latin1")],
];

/** A service that rejects a call without an idempotency key. */
async function openApi(t: TestContext, [type, body]: [string, Buffer]) {
  const keys: unknown[] = [];
  const base = await serveHttp(t, (request, response) => {
    const key = request.headers["idempotency-key"];
    keys.push(key);
    request.resume();
    const headers = { "Content-Type": type, "X-Request-Id": "req_1" };
    if (key !== undefined) response.writeHead(200, headers).end(body);
    else response.writeHead(400).end('{"detail":"It has no key."}');
  });
  return { base, keys };
}

for (const language of RUNNABLE) {
  const { id, title, write, skip } = language;
  test(`the sample in ${title} succeeds, and prints JSON and a file as they are`, {
    skip,
  }, async (t) => {
    const folder = temporaryFolder(t);
    for (const response of RESPONSES) {
      const { base } = await openApi(t, response);
      const call: CallShown = { url: base, body: BODY, ...traitsOf(ACT) };
      const { stdout } = await runSample(language, write(call), { folder });
      const [, body] = response;
      assert.deepEqual(stdout.subarray(0, body.byteLength), body);
      if (id !== "js" && id !== "python") continue;
      const keyless = write({ ...call, needsKey: false });
      await assert.rejects(runSample(language, keyless, { folder }), /It has no key\./);
    }
  });
}

test("every sample of its pages has an idempotency key, and those of other tools have none", () => {
  const pages = createPages({ ...FULL, tools: [ACT] });
  const others = createPages({ ...FULL, tools: [ACT, ...FULL.tools] });
  const codeIn = (page: string, of = pages) => [
    ...(of.docs?.markdown(page) ?? "").matchAll(/^```(?:sh|js|python|go|php)\n[\s\S]*?^```$/gm),
  ];
  const own = codeIn("/docs/tool-print-letter");
  assert.equal(own.length, 5);
  for (const [code] of own) assert.ok(code.includes(KEY), code);
  const first = codeIn("/docs/quickstart").filter(([code]) => code.includes("/print-letter"));
  assert.ok(first.length >= 5);
  for (const [code] of first) assert.ok(code.includes(KEY), code);
  assert.ok(pages.find("/")?.body.includes(KEY));
  const agents = codeIn("/docs/mcp").filter(([code]) => code.includes('"print-letter"'));
  assert.ok(agents.length > 0);
  for (const [code] of agents) assert.ok(code.includes("toolbooth/idempotency-key"), code);
  for (const [code] of codeIn("/docs/hash", others)) assert.ok(!code.includes(KEY), code);
});

test("the first call that a service shows changes nothing, unless every tool does", () => {
  const reads = { ...ACT, effect: "read" } as const;
  const scans = { ...reads, file: { types: ["image/png"], bytesMax: 1 } };
  assert.equal(firstCall([ACT, scans, reads]).tool, reads);
  assert.equal(firstCall([ACT, scans]).tool, scans);
  assert.equal(firstCall([ACT]).tool, ACT);
});

test("the start, the dashboard and the tool's page show and send calls that have one", async (t) => {
  const { tool, request } = firstCall([ACT]);
  assert.ok(welcome("tb_key", "http://a.test", 100, { tool, request }).includes(`-H '${KEY}: `));
  const shown = sampleCall("", null, {
    firstCall: { tool: tool.name, request, ...traitsOf(tool) },
    keyVariable: "TOOLBOOTH_KEY",
  });
  const fields = fieldsOf(ACT);
  const { call } = showCall(ACT, fields, { values: BODY, file: null }, "http://a.test/");
  for (const each of [shown, call]) assert.ok(curlCode(each).includes(`-H "${KEY}: `));
  const { base, keys } = await openApi(t, RESPONSES[0] as [string, Buffer]);
  const sent = { body: new TextEncoder().encode("{}"), contentType: "application/json", query: "" };
  const ofCalls = createCallKeys();
  for (const isAct of [true, true, false]) {
    const named = isAct && { idempotencyKey: ofCalls.keyOf(sent) };
    ofCalls.end(await sendCall({ tool: "a", base, key: "tb_key", call: sent, ...named }, t.signal));
  }
  const [one, other, none] = keys;
  assert.match(String(one), /^[0-9a-f]{32}$/);
  assert.notEqual(one, other);
  assert.equal(none, undefined);
});
