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

function wrongSentences(sentence: Sentence) {
  const bytes = (text: string, ...more: number[]) =>
    new Uint8Array([...Buffer.from(text), ...more]);
  const deep = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  const wrong: [body: string | Uint8Array, status: number, code: number][] = [
    ["", 400, -32700],
    ["{", 400, -32700],
    ["nothing", 400, -32700],
    ["{'jsonrpc':'2.0'}", 400, -32700],
    [`${JSON.stringify(call("uuid", {}))}x`, 400, -32700],
    [
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"uuid","arguments":{}}',
      400,
      -32700,
    ],
    [
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"uuid","arguments":{"count":1}]}',
      400,
      -32700,
    ],
    [bytes('{"jsonrpc":"2.0","id":1,"method":"', 0xff, 0x22, 0x7d), 400, -32700],
    [
      `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"x":${deep(600)}}}}`,
      400,
      -32700,
    ],
    [deep(100_000), 400, -32700],
    ["null", 400, -32600],
    ["1", 400, -32600],
    ['"text"', 400, -32600],
    ["{}", 400, -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32600],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600],
    ['{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}', 400, -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"nothing"}', 200, -32601],
    [
      '{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"a","arguments":{"b":"c"}}}',
      200,
      -32601,
    ],
    ['{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen"}', 200, -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"__proto__"}', 200, -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"2"}}', 200, -32602],
    [JSON.stringify(call("uuid", [])), 200, -32602],
    [JSON.stringify(call("uuid", "text")), 200, -32602],
    [JSON.stringify(call("uuid", 7)), 200, -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}', 200, -32602],
    [
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"uuid","_meta":7}}',
      200,
      -32602,
    ],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":7}}', 200, -32602],
    ['{"jsonrpc":"2.0","id":1,"method":"constructor","params":null}', 200, -32601],
    ['{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}', 400, -32600],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 400, -32600],
    ['{"jsonrpc":"2.0","id":1,"method":5}', 400, -32600],
    ['{"id":1,"method":"ping"}', 400, -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{}}}', 200, -32602],
    [
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7,"arguments":{}}}',
      200,
      -32602,
    ],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/call"}', 200, -32602],
    [JSON.stringify(call("../../dashboard", {})), 200, -32602],
    [JSON.stringify(call("", {})), 200, -32602],
    [JSON.stringify(call("x".repeat(10_000), {})), 200, -32602],
    [JSON.stringify(call("uuid", {}, { [KEY]: "" })), 200, -32602],
    [JSON.stringify(call("uuid", {}, { [KEY]: "a b" })), 200, -32602],
    [JSON.stringify(call("uuid", {}, { [KEY]: "é" })), 200, -32602],
    [JSON.stringify(call("uuid", {}, { [KEY]: "a\r\nX-Other: b" })), 200, -32602],
    [JSON.stringify(call("uuid", {}, { [KEY]: "a".repeat(256) })), 200, -32602],
    [JSON.stringify(call("uuid", {}, { [KEY]: 7 })), 200, -32602],
    [JSON.stringify(call("uuid", {}, { "toolbooth/idempotencyKey": "a" })), 200, -32602],
    [
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"uuid","arguments":{"count":}}}',
      200,
      -32700,
    ],
    [
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"body":[1,]}}}',
      200,
      -32700,
    ],
    [
      bytes(
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hash","arguments":{"text":"',
        0xff,
        ...Buffer.from('"}}}'),
      ),
      200,
      -32700,
    ],
    [
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"body":1,oops}}}',
      200,
      -32700,
    ],
    [
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"body":${deep(513)}}}}`,
      200,
      -32700,
    ],
  ];
  sentence(
    "MCP: what is not a valid message is an error of JSON-RPC, and free",
    async (service) => {
      const caller = await createCaller(service);
      for (const [body, status, code] of wrong) {
        const response = await post(service, caller, "", { body });
        assertRpcError(response, status, code);
        assert.doesNotMatch(response.text, /\bat \w+ \(|node_modules|\.ts\b/);
        // A sentence, not the dump of a validator.
        assert.match(response.json().error.message, /^[A-Z_`][^\n]*[.?]$/);
      }
      assert.equal(await caller.balance(), 100);
    },
  );
}

function otherSentences(sentence: Sentence) {
  sentence("MCP: errors say what is wrong and what to do", async (service) => {
    const caller = await createCaller(service);
    const bytes = new Uint8Array([0x7b, 0xff, 0x7d]);
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
      [bytes, /not valid UTF-8/],
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
    "MCP: null and what may be left out, and ids that come back as they are",
    async (service) => {
      const caller = await createCaller(service);
      for (const id of [0, -1, 9007199254740991, "", "1.0", "\ud800", '"content":[]']) {
        const message = {
          jsonrpc: "2.0",
          id,
          method: "tools/call",
          params: { name: "uuid", arguments: null, _meta: null },
          extra: 1,
        };
        const { id: same, result } = (await post(service, caller, message)).json();
        assert.equal(same, id);
        assert.equal(result.structuredContent.count, 1);
      }
      for (const [asked, given] of [
        ["2025-03-26", "2025-03-26"],
        ["2026-07-28", "2025-11-25"],
        [undefined, "2025-11-25"],
      ]) {
        const params = {
          protocolVersion: asked,
          capabilities: {},
          clientInfo: { name: "a", version: "1" },
        };
        const message = { jsonrpc: "2.0", id: 1, method: "initialize", params };
        const { protocolVersion, capabilities, serverInfo } = resultOf(
          await post(service, caller, message),
        );
        assert.deepEqual(
          [protocolVersion, capabilities, serverInfo.name],
          [given, { tools: {} }, "toolbooth"],
        );
      }
    },
  );

  sentence(
    "MCP: messages that have no response, and members that mean nothing here",
    async (service) => {
      const caller = await createCaller(service);
      const silent = [
        { jsonrpc: "2.0", method: "notifications/initialized" },
        { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
        { jsonrpc: "2.0", method: "tools/call", params: { name: "uuid", arguments: {} } },
        { jsonrpc: "2.0", id: 1, result: {} },
      ];
      for (const message of silent) {
        const response = await post(service, caller, message);
        assert.deepEqual([response.status, response.text], [202, ""], JSON.stringify(message));
      }
      const ping = await post(service, caller, { jsonrpc: "2.0", id: "a", method: "ping" });
      assert.deepEqual(ping.json(), { jsonrpc: "2.0", id: "a", result: {} });
      const session = { headers: { "Mcp-Session-Id": "of another server", "Last-Event-ID": "7" } };
      resultOf(await post(service, caller, call("uuid", {}), session));
      const twice = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"count":9}},"params":{"name":"uuid","\\u0061rguments":{"count":2},"arguments":{"count":3}}}`;
      const { structuredContent } = resultOf(await post(service, caller, `\ufeff ${twice} `));
      assert.equal(structuredContent.count, 3);
      assert.equal(await caller.balance(), 98);
    },
  );

  sentence("MCP 2026-07-28: headers and envelope must agree", async (service) => {
    const caller = await createCaller(service);
    const message = call("uuid", {}, MODERN_META);
    const right = { ...MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "uuid" };
    const send = (headers: Record<string, string>, sent: unknown = message) =>
      post(service, caller, sent, { headers });
    const result = resultOf(await send(right));
    assert.equal(result.resultType, "complete");
    assertRpcError(await send({ ...right, "Mcp-Name": "hash" }), 400, -32020);
    assertRpcError(await send({ ...right, "Mcp-Method": "tools/list" }), 400, -32020);
    assertRpcError(await send({ ...MODERN, "Mcp-Name": "uuid" }), 400, -32020);
    assertRpcError(await send({ ...right, "MCP-Protocol-Version": "2025-11-25" }), 400, -32020);
    const { _meta: _, ...noMeta } = message.params as Record<string, unknown>;
    assertRpcError(await send(right, { ...message, params: noMeta }), 400, -32602);
    const future = { ...MODERN_META, "io.modelcontextprotocol/protocolVersion": "2030-01-01" };
    const unknown = await send(
      { ...right, "MCP-Protocol-Version": "2030-01-01" },
      call("uuid", {}, future),
    );
    assertRpcError(unknown, 400, -32022);
    assert.deepEqual(unknown.json().error.data.supported, ["2026-07-28"]);
    const discover = { ...message, method: "server/discover", params: { _meta: MODERN_META } };
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

  sentence("MCP: batches for the revisions that have them", async (service) => {
    const caller = await createCaller(service);
    const ping = { jsonrpc: "2.0", id: "p", method: "ping" };
    const silent = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
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
    const args = (
      await post(
        service,
        caller,
        [1, 2].map((count) => call("uuid", { count })),
      )
    ).json();
    assert.deepEqual(
      args.map(
        (each: { result: { structuredContent: { count: number } } }) =>
          each.result.structuredContent.count,
      ),
      [1, 2],
    );
    assert.equal(await caller.balance(), 94);
    assert.equal((await post(service, caller, [silent])).status, 202);
  });

  sentence("MCP: other batches are rejected whole, and free", async (service) => {
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
