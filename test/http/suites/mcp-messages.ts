import assert from "node:assert/strict";
import { MCP_BATCH_BYTES_MAX } from "#limits.ts";
import { assertRpcError, call, KEY, post, resultOf } from "../mcp-messages.ts";
import { createCaller, type Sentence } from "../test-api.ts";

/** The messages themselves: what no client should send, what has no response, and batches. */
export function mcpMessagesSuite(sentence: Sentence) {
  wrongSentences(sentence);
  otherSentences(sentence);
  batchSentences(sentence);
}

const MODERN_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const MODERN = { "MCP-Protocol-Version": "2026-07-28" };

const bytes = (text: string, ...more: number[]) => new Uint8Array([...Buffer.from(text), ...more]);
const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
/** A message with this method and whatever else is written after it. */
const message = (method: string, rest = "") =>
  `{"jsonrpc":"2.0","id":1,"method":"${method}"${rest}}`;
/** A call whose parameters are written so. */
const callWith = (params: string) => message("tools/call", `,"params":${params}`);
const withArguments = (tool: string, args: string) =>
  callWith(`{"name":"${tool}","arguments":${args}}`);

type Wrong = { status: number; code: number; bodies: (string | Uint8Array)[] };

const NOT_JSON: Wrong = {
  ...{ status: 400, code: -32700 },
  bodies: [
    ...["", "{", "nothing", "{'jsonrpc':'2.0'}", `${withArguments("uuid", "{}")}x`],
    withArguments("uuid", "{}").slice(0, -1),
    withArguments("uuid", '{"count":1}').replace(/}}$/, "]}"),
    bytes('{"jsonrpc":"2.0","id":1,"method":"', 0xff, 0x22, 0x7d),
    message("tools/list", `,"params":{"_meta":{"x":${deep(600)}}}`),
    deep(100_000),
  ],
};

const NO_MESSAGE: Wrong = {
  ...{ status: 400, code: -32600 },
  bodies: [
    ...[
      "null",
      "1",
      '"text"',
      "{}",
      '{"id":1,"method":"ping"}',
      '{"jsonrpc":"2.0","id":1,"method":5}',
    ],
    '{"jsonrpc":"1.0","id":1,"method":"ping"}',
    ...["null", '{"a":1}', "12345678901234567890", "1.5"].map(
      (id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`,
    ),
  ],
};

const NO_METHOD: Wrong = {
  ...{ status: 200, code: -32601 },
  bodies: [
    message("nothing"),
    message("prompts/get", ',"params":{"name":"a","arguments":{"b":"c"}}'),
    message("subscriptions/listen"),
    message("__proto__"),
    message("constructor", ',"params":null'),
  ],
};

const WRONG_PARAMETERS: Wrong = {
  ...{ status: 200, code: -32602 },
  bodies: [
    message("tools/list", ',"params":{"cursor":"2"}'),
    message("tools/list", ',"params":{"cursor":7}'),
    ...["[]", '"text"', "7"].map((args) => withArguments("uuid", args)),
    message("tools/call"),
    ...["[]", '{"name":"uuid","_meta":7}', '{"arguments":{}}', '{"name":7,"arguments":{}}'].map(
      callWith,
    ),
    ...["../../dashboard", "", "x".repeat(10_000)].map((tool) => withArguments(tool, "{}")),
    ...["", "a b", "é", "a\r\nX-Other: b", "a".repeat(256), 7].map((key) =>
      JSON.stringify(call("uuid", {}, { [KEY]: key })),
    ),
    JSON.stringify(call("uuid", {}, { "toolbooth/idempotencyKey": "a" })),
  ],
};

/** What is wrong inside of the arguments has the id of its message. */
const WRONG_ARGUMENTS: Wrong = {
  ...{ status: 200, code: -32700 },
  bodies: [
    withArguments("uuid", '{"count":}'),
    withArguments("echo", '{"body":[1,]}'),
    withArguments("echo", '{"body":1,oops}'),
    withArguments("echo", `{"body":${deep(513)}}`),
    bytes(withArguments("hash", '{"text":"').slice(0, -2), 0xff, ...Buffer.from('"}}}')),
  ],
};

function wrongSentences(sentence: Sentence) {
  sentence("MCP: an invalid message is a JSON-RPC error and costs nothing", async (service) => {
    const caller = await createCaller(service);
    const wrong = [NOT_JSON, NO_MESSAGE, NO_METHOD, WRONG_PARAMETERS, WRONG_ARGUMENTS];
    for (const { status, code, bodies } of wrong) {
      for (const body of bodies) {
        const response = await post(service, caller, "", { body });
        assertRpcError(response, status, code);
        assert.doesNotMatch(response.text, /\bat \w+ \(|node_modules|\.ts\b/);
        // A sentence, not the dump of a validator.
        assert.match(response.json().error.message, /^[A-Z_`][^\n]*[.?]$/);
      }
    }
    assert.equal(await caller.balance(), 100);
  });
}

function otherSentences(sentence: Sentence) {
  sentence("MCP: errors say what is wrong and what to do", async (service) => {
    const caller = await createCaller(service);
    const names = /The tools are markdown-render, qr-code, hash, uuid, echo\.$/;
    const table: [message: unknown, words: RegExp][] = [
      [call("hsah", {}), /Unknown tool: hsah\. Did you mean hash\?/],
      [call("qr_code", {}), /Did you mean qr-code\?/],
      [call("mcp__toolbooth__uuid", {}), /Did you mean uuid\?/],
      [call("translate", {}), names],
      [call(undefined as never, {}), names],
      [call("hash", ["a"]), /`arguments` must be an object .*got a list\./],
      [call("hash", '{"text":"a"}'), /`arguments` must be an object .*got a string\./],
      [{ jsonrpc: "2.0", id: 1, method: "resources/list" }, /resources\/list.*tools only/],
      ['{"jsonrpc":"2.0","id":1,\n"method":ping}', /line 2, column 10/],
      [bytes("{", 0xff, 0x7d), /not valid UTF-8/],
      ["[".repeat(600), /nests deeper than 512 levels/],
      ["[".repeat(600_000), /nests deeper than 512 levels/],
      [call("echo", {}, { "toolbooth/idempotency": "a" }), /Use "toolbooth\/idempotency-key"/],
    ];
    for (const [message, words] of table) {
      const sent = message instanceof Uint8Array ? { body: message } : {};
      const response = await post(service, caller, sent.body === undefined ? message : "", sent);
      assert.match(response.json().error.message, words);
    }
    assert.equal(await caller.balance(), 100);
  });

  sentence(
    "MCP: optional members may be null or absent, and ids are returned unchanged",
    async (service) => {
      const caller = await createCaller(service);
      for (const id of [0, -1, 9007199254740991, "", "1.0", "\ud800", '"content":[]']) {
        const params = { name: "uuid", arguments: null, _meta: null };
        const sent = { jsonrpc: "2.0", id, method: "tools/call", params, extra: 1 };
        const { id: same, result } = (await post(service, caller, sent)).json();
        assert.equal(same, id);
        assert.equal(result.structuredContent.count, 1);
      }
      for (const [asked, given] of [
        ["2025-03-26", "2025-03-26"],
        ["2026-07-28", "2025-11-25"],
        [undefined, "2025-11-25"],
      ]) {
        const clientInfo = { name: "a", version: "1" };
        const params = { protocolVersion: asked, capabilities: {}, clientInfo };
        const sent = { jsonrpc: "2.0", id: 1, method: "initialize", params };
        const { protocolVersion, capabilities, serverInfo } = resultOf(
          await post(service, caller, sent),
        );
        assert.deepEqual([protocolVersion, capabilities], [given, { tools: {} }]);
        assert.equal(serverInfo.name, "toolbooth");
      }
    },
  );

  sentence(
    "MCP: notifications get no response, and unknown members are ignored",
    async (service) => {
      const caller = await createCaller(service);
      const silent = [
        { jsonrpc: "2.0", method: "notifications/initialized" },
        { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
        { jsonrpc: "2.0", method: "notifications/cancelled", params: [] },
        { jsonrpc: "2.0", method: "notifications/cancelled", params: { _meta: [] } },
        { jsonrpc: "2.0", method: "tools/call", params: { name: "uuid", arguments: {} } },
        { jsonrpc: "2.0", id: 1, result: {} },
      ];
      for (const each of silent) {
        const response = await post(service, caller, each);
        assert.deepEqual([response.status, response.text], [202, ""], JSON.stringify(each));
      }
      const ping = await post(service, caller, { jsonrpc: "2.0", id: "a", method: "ping" });
      assert.deepEqual(ping.json(), { jsonrpc: "2.0", id: "a", result: {} });
      const session = { headers: { "Mcp-Session-Id": "of another server", "Last-Event-ID": "7" } };
      resultOf(await post(service, caller, call("uuid", {}), session));
      const last = '{"name":"uuid","\\u0061rguments":{"count":2},"arguments":{"count":3}}';
      const twice = message("tools/call", `,"params":{"arguments":{"count":9}},"params":${last}`);
      const { structuredContent } = resultOf(await post(service, caller, `\ufeff ${twice} `));
      assert.equal(structuredContent.count, 3);
      assert.equal(await caller.balance(), 98);
    },
  );

  sentence("MCP 2026-07-28: headers and envelope must agree", async (service) => {
    const caller = await createCaller(service);
    const modern = call("uuid", {}, MODERN_META);
    const right = { ...MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "uuid" };
    const send = (headers: Record<string, string>, sent: unknown = modern) =>
      post(service, caller, sent, { headers });
    const result = resultOf(await send(right));
    assert.equal(result.resultType, "complete");
    assertRpcError(await send({ ...right, "Mcp-Name": "hash" }), 400, -32020);
    assertRpcError(await send({ ...right, "Mcp-Method": "tools/list" }), 400, -32020);
    assertRpcError(await send({ ...MODERN, "Mcp-Name": "uuid" }), 400, -32020);
    assertRpcError(await send({ ...right, "MCP-Protocol-Version": "2025-11-25" }), 400, -32020);
    const { _meta: _, ...noMeta } = modern.params as Record<string, unknown>;
    assertRpcError(await send(right, { ...modern, params: noMeta }), 400, -32602);
    const future = { ...MODERN_META, "io.modelcontextprotocol/protocolVersion": "2030-01-01" };
    const unknown = await send(
      { ...right, "MCP-Protocol-Version": "2030-01-01" },
      call("uuid", {}, future),
    );
    assertRpcError(unknown, 400, -32022);
    assert.deepEqual(unknown.json().error.data.supported, ["2026-07-28"]);
    const discover = { ...modern, method: "server/discover", params: { _meta: MODERN_META } };
    const { supportedVersions, capabilities, ttlMs } = resultOf(
      await send({ ...MODERN, "Mcp-Method": "server/discover" }, discover),
    );
    assert.deepEqual([supportedVersions, capabilities], [["2026-07-28"], { tools: {} }]);
    assert.ok(ttlMs > 0);
    const method = { ...discover, method: "resources/list" };
    assertRpcError(await send({ ...MODERN, "Mcp-Method": "resources/list" }, method), 404, -32601);
    const unsupported = { "MCP-Protocol-Version": "1999-01-01" };
    assert.equal((await send(unsupported, call("uuid", {}))).status, 400);
    assert.equal(await caller.balance(), 99);
  });
}

function batchSentences(sentence: Sentence) {
  const ids = (...given: number[]) => given.map((id) => ({ ...call("uuid", {}), id }));

  sentence(
    "MCP: batches for the revisions that have them",
    async (service) => {
      const caller = await createCaller(service);
      const ping = { jsonrpc: "2.0", id: "p", method: "ping" };
      const silent = {
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: 1 },
      };
      const wrong = { jsonrpc: "2.0", id: 9, method: "nothing" };
      const mixed = await post(service, caller, [...ids(1, 1), silent, ping, wrong, 7]);
      assert.equal(mixed.status, 200);
      const told = mixed
        .json()
        .map((each: { id: unknown; error?: { code: number } }) => [each.id, each.error?.code]);
      assert.deepEqual(told, [
        [1, undefined],
        [1, undefined],
        ["p", undefined],
        [9, -32601],
        [null, -32600],
      ]);
      assert.equal(await caller.balance(), 98);
      const old = { headers: { "MCP-Protocol-Version": "2025-03-26" } };
      assert.equal((await post(service, caller, ids(1, 2), old)).json().length, 2);
      const counted = [1, 2].map((count) => call("uuid", { count }));
      type Result = { result: { structuredContent: { count: number } } };
      const results = (await post(service, caller, counted)).json() as Result[];
      const counts = results.map(({ result }) => result.structuredContent.count);
      assert.deepEqual(counts, [1, 2]);
      assert.equal(await caller.balance(), 94);
      assert.equal((await post(service, caller, [silent])).status, 202);
    },
    { adapter: "batches" },
  );

  sentence("MCP: invalid batches are rejected as a whole and cost nothing", async (service) => {
    const caller = await createCaller(service);
    const many = Array.from({ length: 101 }, (_, id) => ids(id)).flat();
    const table: [batch: unknown, headers: Record<string, string>][] = [
      [[], {}],
      [many, {}],
      [ids(1, 2), { "Idempotency-Key": "one for two" }],
      [ids(1), { "MCP-Protocol-Version": "2025-06-18" }],
      [ids(1), { "MCP-Protocol-Version": "2025-11-25" }],
      [ids(1), MODERN],
      [[call("echo", { body: "x".repeat(MCP_BATCH_BYTES_MAX) })], {}],
    ];
    for (const [batch, headers] of table) {
      assertRpcError(await post(service, caller, batch, { headers }), 400, -32600);
    }
    assert.equal(await caller.balance(), 100);
  });
}
