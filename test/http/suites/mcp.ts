import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { makeKey } from "#accounts/key-format.ts";
import { HASH_TEXT_BYTES_MAX, MARKDOWN_BYTES_MAX, MCP_ENVELOPE_BYTES_MAX } from "#limits.ts";
import { TOOLS } from "#tools/registry.ts";
import { connectMcp, fetchOf, REVISIONS } from "../mcp-client.ts";
import {
  type ApiResponse,
  type Caller,
  createCaller,
  entriesOf,
  PUBLIC_URL,
  type Sent,
  type Sentence,
  type TestService,
} from "../test-api.ts";

/** MCP at `/mcp`, with the official client and with what no client should send. */
export function mcpSuite(sentence: Sentence) {
  clientSentences(sentence);
  exactnessSentences(sentence);
  errorSentences(sentence);
  httpSentences(sentence);
  messageSentences(sentence);
  batchSentences(sentence);
}

const KEY = "toolbooth/idempotency-key";

/** A message of a revision that has no `_meta` of its own. */
const call = (name: string, args: unknown, meta?: Record<string, unknown>) => ({
  ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
  params: { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) },
});

function post(
  service: TestService,
  caller: Pick<Caller, "key">,
  message: unknown,
  sent: Sent = {},
) {
  const headers: [string, string][] = [
    ["Authorization", `Bearer ${caller.key}`],
    ["Content-Type", "application/json"],
    ["Accept", "application/json, text/event-stream"],
  ];
  const changed = entriesOf(sent.headers);
  const isChanged = ([name]: [string, string]) =>
    changed.some(([other]) => other.toLowerCase() === name.toLowerCase());
  return service.send("/mcp", {
    method: "POST",
    body: typeof message === "string" ? message : JSON.stringify(message),
    ...sent,
    headers: [...headers.filter((each) => !isChanged(each)), ...changed],
  });
}

function resultOf(response: ApiResponse) {
  assert.equal(response.status, 200, response.text.slice(0, 500));
  assert.equal(response.header("content-type"), "application/json");
  const { result, error } = response.json();
  assert.equal(error, undefined, response.text.slice(0, 500));
  return result;
}

/** An error of the tool: what happened, and where it is documented. */
function assertToolError(response: ApiResponse, code: string) {
  const { isError, content, structuredContent, _meta } = resultOf(response);
  assert.equal(isError, true, response.text.slice(0, 500));
  assert.equal(structuredContent, undefined);
  assert.ok(content[0].text.startsWith(`${code} (`), content[0].text);
  assert.ok(content[0].text.endsWith(`More: ${PUBLIC_URL}/docs/errors#${code}`));
  assert.equal(_meta["toolbooth/problem"].code, code);
  assert.equal(_meta["toolbooth/credits-charged"] ?? 0, 0);
  return content[0].text as string;
}

function assertRpcError(response: ApiResponse, status: number, code: number, words?: RegExp) {
  assert.equal(response.status, status, response.text.slice(0, 500));
  const { jsonrpc, error } = response.json();
  assert.deepEqual([jsonrpc, error.code], ["2.0", code], response.text.slice(0, 500));
  if (words !== undefined) assert.match(error.message, words);
}

function clientSentences(sentence: Sentence) {
  for (const revision of REVISIONS) {
    sentence(`MCP ${revision}: every example, with the same bytes as the API`, async (service) => {
      const caller = await createCaller(service);
      const client = await connectMcp({ key: caller.key, revision, fetch: fetchOf(service) });
      assert.equal(client.getServerVersion()?.name, "toolbooth");
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        TOOLS.map(({ name }) => name),
      );
      let spent = 0;
      for (const tool of TOOLS) {
        for (const [at, { request }] of tool.examples.entries()) {
          const key = `${revision}-${tool.name}-${at}`;
          const first = await caller.call(tool.name, request, { "Idempotency-Key": key });
          spent += tool.price;
          // The same key and the same bytes: MCP replays the response of the API.
          const result = await client.callTool({
            name: tool.name,
            arguments: (tool.verbatim ? { body: request } : request) as Record<string, unknown>,
            _meta: { [KEY]: key },
          });
          assert.equal(result.isError ?? false, false);
          assert.equal(result._meta?.["toolbooth/idempotency-replayed"], true);
          assert.equal(result._meta?.["toolbooth/credits-charged"], 0);
          assert.equal(result._meta?.["toolbooth/credits-remaining"], 100 - spent);
          assertSameAs(first, result);
        }
      }
      await assert.rejects(client.callTool({ name: "hsah" }), /Unknown tool: hsah.*hash\?/);
      const wrong = await client.callTool({ name: "uuid", arguments: { cuont: 2 } });
      assert.equal(wrong.isError, true);
      assert.match(JSON.stringify(wrong.content), /did you mean `count`/);
      assert.equal(await caller.balance(), 100 - spent);
      await client.close();
    });
  }

  sentence("MCP: a call is charged once, and says so", async (service) => {
    const caller = await createCaller(service, { credits: 3 });
    const meta = { [KEY]: "once" };
    const send = () => post(service, caller, call("uuid", { count: 3 }, meta));
    const [first, again] = [resultOf(await send()), resultOf(await send())];
    assert.deepEqual(again.content, first.content);
    assert.deepEqual(again.structuredContent, first.structuredContent);
    assert.equal(first._meta["toolbooth/credits-charged"], 1);
    assert.equal(first._meta["toolbooth/credits-remaining"], 2);
    assert.equal(again._meta["toolbooth/credits-charged"], 0);
    assert.equal(await caller.balance(), 2);
    resultOf(await post(service, caller, call("uuid", { count: 3 })));
    assert.equal(await caller.balance(), 1);
  });

  sentence("MCP: the header Idempotency-Key counts too, and may not differ", async (service) => {
    const caller = await createCaller(service);
    const sent = { headers: { "Idempotency-Key": "header" } };
    resultOf(await post(service, caller, call("uuid", {}), sent));
    resultOf(await post(service, caller, call("uuid", {}, { [KEY]: "header" }), sent));
    assert.equal(await caller.balance(), 99);
    const other = await post(service, caller, call("uuid", {}, { [KEY]: "other" }), sent);
    assertRpcError(other, 200, -32602, /differ/);
    const tools = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    assert.equal(resultOf(await post(service, caller, tools, sent)).tools.length, TOOLS.length);
    assert.equal(await caller.balance(), 99);
  });
}

/** A picture is an image or text, the rest of the response beside it; everything else is the response itself. */
function assertSameAs(
  response: ApiResponse,
  { content, structuredContent }: { content: unknown; structuredContent?: unknown },
) {
  const { output, ...rest } = response.json();
  const [first, second, ...others] = content as { type: string; text?: string; data?: string }[];
  assert.equal(others.length, 0);
  if (output === undefined) {
    assert.equal(first?.text, response.text);
    assert.equal(second, undefined);
    assert.deepEqual(structuredContent, response.json());
    return;
  }
  const shown = first?.type === "image" ? `data:image/png;base64,${first.data}` : first?.text;
  assert.equal(shown, output);
  assert.equal(second?.text, JSON.stringify(rest));
  assert.equal(structuredContent, undefined);
}

function exactnessSentences(sentence: Sentence) {
  const values = [
    "12345678901234567890",
    "1.0",
    '{"b":1, "a":2,"a":3,"__proto__":null}',
    '"\\ud800\\u0041"',
    " [ 1e2 ] ",
    "null",
    '{"arguments":{"params":"}"}}',
    '"}]\\\\\\""',
    "[".repeat(512) + "]".repeat(512),
  ];
  sentence("MCP: echo returns what the client wrote", async (service) => {
    const caller = await createCaller(service);
    for (const value of values) {
      const message = `{"id":1,"jsonrpc":"2.0","params":{"arguments":{"body":${value}},"name":"echo"},"method":"tools/call"}`;
      const [{ text }] = resultOf(await post(service, caller, message)).content;
      assert.ok(text.endsWith(`,"body":${value.trim()}}`), text);
    }
    assert.equal(await caller.balance(), 100 - values.length);
  });

  sentence("MCP: a megabyte in any spelling, and no more", async (service) => {
    const caller = await createCaller(service);
    const escaped = "\\u0041".repeat(HASH_TEXT_BYTES_MAX);
    const message = (text: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hash","arguments":{"text":"${text}"}}}`;
    const { structuredContent } = resultOf(await post(service, caller, message(escaped)));
    const plain = await caller.call("hash", { text: "A".repeat(HASH_TEXT_BYTES_MAX) });
    assert.deepEqual(structuredContent, plain.json());
    const over = await post(service, caller, message("A".repeat(HASH_TEXT_BYTES_MAX + 1)));
    assert.match(assertToolError(over, "too_large"), /1048577/);
    const markdown = "*a* ".repeat(MARKDOWN_BYTES_MAX / 4);
    const rendered = await post(service, caller, call("markdown-render", { markdown }));
    const api = await caller.call("markdown-render", { markdown });
    assert.ok(rendered.text.includes(`"structuredContent":${api.text}`), "the bytes of the API");
    assert.deepEqual(resultOf(rendered).structuredContent, api.json());
    assert.equal(
      resultOf(rendered).content[0].text,
      `The result is in structuredContent: ${api.bytes.byteLength} bytes of JSON.`,
    );
    assert.equal(await caller.balance(), 96);
  });
}

function errorSentences(sentence: Sentence) {
  sentence(
    "MCP: errors of the API are results that name the cure, and are free",
    async (service) => {
      const caller = await createCaller(service, { credits: 1 });
      const long = { text: "a".repeat(2000), errorCorrectionLevel: "H" };
      const table: [name: string, args: unknown, code: string, words: RegExp][] = [
        ["uuid", { count: 501 }, "invalid_request", /1 to 500; got 501/],
        ["hash", { txt: "a" }, "invalid_request", /`text` is required.*did you mean `text`/s],
        ["hash", { text: "\ud800" }, "invalid_request", /surrogate/],
        ["hash", undefined, "invalid_request", /`?text`?/],
        ["qr-code", long, "text_too_long_for_level", /ask for level/],
        ["uuid", { count: "2" }, "invalid_request", /count/],
      ];
      for (const [name, args, code, words] of table) {
        assert.match(assertToolError(await post(service, caller, call(name, args)), code), words);
      }
      assert.equal(await caller.balance(), 1);
      resultOf(await post(service, caller, call("uuid", {})));
      const none = assertToolError(
        await post(service, caller, call("uuid", {})),
        "insufficient_credits",
      );
      assert.match(none, /credit/);
      await service.ledger.revokeKey({
        ...{ account: caller.account, id: caller.keyId },
        now: await service.now(),
      });
      assertToolError(await post(service, caller, call("uuid", {})), "invalid_key");
    },
  );

  sentence("MCP: echo has one argument", async (service) => {
    const caller = await createCaller(service);
    const other = await post(service, caller, call("echo", { body: 1, text: 2 }));
    assertRpcError(other, 200, -32602, /one argument, `body`/);
    const without = resultOf(await post(service, caller, call("echo", {})));
    assert.equal(without.structuredContent.body, null);
    const nothing = resultOf(await post(service, caller, call("echo", undefined)));
    assert.equal(nothing.structuredContent.body, null);
    assert.equal(await caller.balance(), 98);
  });

  sentence(
    "MCP: the rate limit is that of calls, and lists are free",
    async (service) => {
      const caller = await createCaller(service);
      const send = () => post(service, caller, call("uuid", {}));
      let limited: ApiResponse | undefined;
      for (let n = 0; n < 20 && limited === undefined; n++) {
        const response = await send();
        if (resultOf(response).isError) limited = response;
      }
      assert.ok(limited, "no call was limited");
      assert.match(assertToolError(limited, "rate_limited"), /Try again after \d+ s\./);
      const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
      assert.equal(resultOf(await post(service, caller, list)).tools.length, TOOLS.length);
    },
    { settings: { rateLimit: 1 } },
  );
}

function httpSentences(sentence: Sentence) {
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };

  sentence("MCP: keys are bearer keys, as at the API", async (service) => {
    const { key } = await createCaller(service);
    const invented = makeKey("acc_unknown", ["another secret of some length"], randomBytes);
    for (const value of [null, "Bearer", "Bearer x", `Basic ${key}`, `Bearer ${invented}`]) {
      const headers = value === null ? {} : { Authorization: value };
      const asked = { method: "POST", body: "{}", headers };
      const api = await service.send("/api/v1/hash", asked);
      const type = { "Content-Type": "application/json" };
      const mcp = await service.send("/mcp", { ...asked, headers: { ...headers, ...type } });
      assert.deepEqual([mcp.status, api.status], [401, 401], String(value));
      assert.equal(mcp.header("www-authenticate"), api.header("www-authenticate"));
      const { requestId: _, ...told } = mcp.json();
      const { requestId: __, ...expected } = api.json();
      assert.deepEqual(told, expected);
    }
  });

  sentence("MCP: a foreign Origin is 403, and no response has CORS headers", async (service) => {
    const caller = await createCaller(service);
    for (const origin of [
      "https://evil.example",
      "null",
      `${PUBLIC_URL}.evil.example`,
      `${PUBLIC_URL}:8443`,
      "http://toolbooth.example",
    ]) {
      const response = await post(service, caller, call("uuid", {}), {
        headers: { Origin: origin },
      });
      assertRpcError(response, 403, -32000, /Origin/);
      assert.equal(response.header("access-control-allow-origin"), null);
    }
    const own = await post(service, caller, list, { headers: { Origin: PUBLIC_URL } });
    resultOf(own);
    const problem = await service.send("/mcp", { method: "POST", headers: { Origin: PUBLIC_URL } });
    const preflight = await service.send("/mcp", {
      method: "OPTIONS",
      headers: { Origin: PUBLIC_URL },
    });
    assert.deepEqual([problem.status, preflight.status], [401, 405]);
    for (const response of [own, problem, preflight]) {
      assert.equal(response.header("access-control-allow-origin"), null);
      assert.equal(response.header("access-control-expose-headers"), null);
    }
    assert.equal(await caller.balance(), 100);
  });

  sentence("MCP: POST alone", async (service) => {
    const { key } = await createCaller(service);
    for (const method of ["GET", "DELETE", "PUT", "OPTIONS", "HEAD"]) {
      const headers = { Authorization: `Bearer ${key}`, Accept: "text/event-stream" };
      const response = await service.send("/mcp", { method, headers });
      assert.equal(response.status, 405, method);
      assert.equal(response.header("allow"), "POST");
    }
  });

  sentence("MCP: the body is JSON, of a bounded size, and may be compressed", async (service) => {
    const caller = await createCaller(service);
    const send = (
      headers: Record<string, string>,
      body: string | Uint8Array = JSON.stringify(list),
    ) => post(service, caller, "", { headers, body });
    const problemOf = (response: ApiResponse) => [response.status, response.json().code];
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/jsonp",
      "text/json",
    ]) {
      assert.deepEqual(problemOf(await send({ "Content-Type": type })), [
        415,
        "unsupported_media_type",
      ]);
    }
    resultOf(await send({ "Content-Type": "Application/JSON; charset=utf-8" }));
    for (const accept of ["application/json", "*/*", "text/html, application/*;q=0.5"]) {
      resultOf(await send({ Accept: accept }));
    }
    assertRpcError(await send({ Accept: "text/event-stream" }), 406, -32000, /Accept/);
    resultOf(await send({ "Content-Encoding": "gzip" }, gzipSync(JSON.stringify(list))));
    assert.deepEqual(problemOf(await send({ "Content-Encoding": "br" })), [
      415,
      "unsupported_media_type",
    ]);
    const huge = " ".repeat(7 * 1024 * 1024);
    assert.deepEqual(problemOf(await send({}, huge)), [413, "too_large"]);
    const meta = {
      ...list,
      params: { _meta: { "com.example/x": "x".repeat(MCP_ENVELOPE_BYTES_MAX) } },
    };
    assert.deepEqual(problemOf(await send({}, JSON.stringify(meta))), [413, "too_large"]);
    assert.equal(await caller.balance(), 100);
  });

  sentence("MCP: responses say which request they are for, and are not stored", async (service) => {
    const caller = await createCaller(service);
    const response = await post(service, caller, call("uuid", {}), {
      headers: { "X-Request-Id": "mine" },
    });
    assert.equal(resultOf(response)._meta["toolbooth/request-id"], "mine");
    assert.equal(response.header("x-request-id"), "mine");
    assert.equal(response.header("cache-control"), "no-store");
    assert.equal(response.header("mcp-session-id"), null);
  });
}

const MODERN_META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
const MODERN = { "MCP-Protocol-Version": "2026-07-28" };

function messageSentences(sentence: Sentence) {
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
    ['{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen"}', 404, -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"__proto__"}', 200, -32601],
    ['{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"2"}}', 200, -32602],
    [JSON.stringify(call("uuid", [])), 200, -32602],
    [JSON.stringify(call("uuid", "text")), 200, -32602],
    [JSON.stringify(call("uuid", null)), 200, -32602],
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
      }
      assert.equal(await caller.balance(), 100);
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
    ];
    for (const [batch, headers] of table) {
      assertRpcError(await post(service, caller, batch, { headers }), 400, -32600);
    }
    assert.equal(await caller.balance(), 100);
  });
}
