import assert from "node:assert/strict";
import {
  ECHO_VALUE_BYTES_MAX,
  ECHOED_STRUCTURE_BYTES_MAX,
  HASH_TEXT_BYTES_MAX,
  MARKDOWN_BYTES_MAX,
  MCP_TEXT_BYTES_MAX,
} from "#limits.ts";
import { TOOLS } from "#tools/registry.ts";
import { connectMcp, fetchOf, REVISIONS } from "../mcp-client.ts";
import { assertRpcError, assertToolError, call, KEY, post, resultOf } from "../mcp-messages.ts";
import {
  type ApiResponse,
  assertProblem,
  assertResponse,
  createCaller,
  type Sentence,
} from "../test-api.ts";

/** MCP at `/mcp` as hosts use it: the official client, the bytes of results, and errors. */
export function mcpSuite(sentence: Sentence) {
  clientSentences(sentence);
  exactnessSentences(sentence);
  errorSentences(sentence);
}

function clientSentences(sentence: Sentence) {
  for (const revision of REVISIONS) {
    sentence(
      `MCP ${revision}: every example, with the same bytes as the API`,
      async (service) => {
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
      },
      { adapter: "the official client" },
    );
  }

  sentence("MCP: a call is charged once and reports the charge", async (service) => {
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

/** Values that a parser changes, or that it may: they come back in the text alone. */
const CHANGED = [
  ...["12345678901234567890", "9007199254740993", "1.0", "[-0]", "1E400", "1e-400", "0.10"],
  ...['{"a":[{"b":1e2}]}', '{"b":1, "a":2,"a":3}', '{"a":1,"\\u0061":2}', '{"b":1,"1":2}'],
  ...['{"__proto__":null}', '"\\ud800\\u0041"', '{"\\udc00":1}', " [ 1e2 ] "],
];

/** Values that are the same after parsing, however they are spelled: they are in `structuredContent` too. */
const KEPT = [
  ...["null", " [ 1, -2.5, 0.1, 9007199254740991 ] ", '{"b":1,\n"a":{"b":[{"a":1},{"a":1}]}}'],
  ...['{"arguments":{"params":"}"}}', '"}]\\\\\\""', '"\\ud83d\\ude00 \\u00e9 \\/ 1.0"'],
  ...['{"toString":1,"constructor":2,"1a":3,"-1":4}', "[".repeat(512) + "]".repeat(512)],
];

function exactnessSentences(sentence: Sentence) {
  sentence("MCP: echo returns what the client wrote", async (service) => {
    const caller = await createCaller(service);
    for (const value of [...CHANGED, ...KEPT]) {
      const message = `{"id":1,"jsonrpc":"2.0","params":{"arguments":{"body":${value}},"name":"echo"},"method":"tools/call"}`;
      const response = await post(service, caller, message);
      const { content, structuredContent } = resultOf(response);
      const [{ text }] = content;
      assert.ok(text.endsWith(`,"body":${value.trim()}}`), text);
      assert.equal(structuredContent !== undefined, KEPT.includes(value), value.slice(0, 100));
      if (structuredContent === undefined) continue;
      assert.ok(response.text.includes(`"structuredContent":${text}`));
      assert.deepEqual(structuredContent, JSON.parse(text));
    }
    assert.equal(await caller.balance(), 100 - CHANGED.length - KEPT.length);
  });

  sentence(
    "MCP: a large value of echo comes back as text alone, byte for byte",
    async (service) => {
      const caller = await createCaller(service);
      const item = '{"naïve ☕ 😀":1.0,"\\"\\\\":"\\u0000\\ud800"},\n\t';
      for (const bytes of [ECHOED_STRUCTURE_BYTES_MAX, MCP_TEXT_BYTES_MAX, ECHO_VALUE_BYTES_MAX]) {
        const value = `[${item.repeat(Math.floor((bytes - 10) / Buffer.byteLength(item)))}null]`;
        const message = `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo","arguments":{"body":${value}}}}`;
        const { content, structuredContent } = resultOf(await post(service, caller, message));
        assert.equal(structuredContent, undefined);
        assert.equal(content.length, 1);
        assert.ok(content[0].text.endsWith(`,"body":${value}}`));
      }
    },
    { adapter: "large bodies of MCP" },
  );

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
    "MCP: errors of the API are tool results that say what to do, and cost nothing",
    async (service) => {
      const caller = await createCaller(service, { credits: 1 });
      const long = { text: "a".repeat(2000), errorCorrectionLevel: "H" };
      const table: [name: string, args: unknown, code: string, words: RegExp][] = [
        ["uuid", { count: 501 }, "invalid_request", /1 to 500; got 501/],
        ["hash", { txt: "a" }, "invalid_request", /did you mean `text`.*`text` is required/s],
        ["hash", { text: "\ud800" }, "invalid_request", /surrogate/],
        ["hash", undefined, "invalid_request", /`?text`?/],
        ["qr-code", long, "text_too_long_for_level", /request level/],
        ["hash", { text: null }, "invalid_request", /`text` is required/],
        ["hash", { text: 5 }, "invalid_request", /`text` must be a string; got 5/],
        ["uuid", { count: "many" }, "invalid_request", /1 to 500; got "many"/],
        ["uuid", { count: " 2" }, "invalid_request", /`count` must be a whole number/],
        ["uuid", { uppercase: "yes" }, "invalid_request", /`uppercase`/],
        ["uuid", { counter: null }, "invalid_request", /did you mean `count`/],
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
      assertProblem(
        await post(service, caller, call("uuid", {})),
        "invalid_key",
        "application/json",
      );
    },
  );

  sentence("MCP: echo has one argument", async (service) => {
    const caller = await createCaller(service);
    const other = await post(service, caller, call("echo", { body: 1, bodi: 2, "": 3 }));
    assert.match(
      assertToolError(other, "invalid_request"),
      /`bodi` is unknown; echo has one argument, `body`\. `` is unknown/,
    );
    const without = resultOf(await post(service, caller, call("echo", {})));
    assert.equal(without.structuredContent.body, null);
    const nothing = resultOf(await post(service, caller, call("echo", undefined)));
    assert.equal(nothing.structuredContent.body, null);
    assert.equal(await caller.balance(), 98);
  });

  sentence(
    "MCP: numbers and booleans may be strings, and null omits an option, also within an object",
    async (service) => {
      const caller = await createCaller(service);
      const table: [name: string, args: unknown, same: unknown][] = [
        ["uuid", { count: "2", version: "7" }, { count: 2, version: 7 }],
        ["uuid", { count: "1e1" }, { count: 10 }],
        ["uuid", { uppercase: "true", count: null }, { uppercase: true }],
        ["uuid", { uppercase: "False", version: null }, { uppercase: false }],
        ["qr-code", { text: "5", width: "128.4" }, { text: "5", width: 128.4 }],
        ["qr-code", { text: "a", format: null, margin: "0" }, { text: "a", margin: 0 }],
        ["hash", { text: "5", hmacKey: null, encoding: null }, { text: "5" }],
        ["hash", { text: null, base64: "AA==" }, { base64: "AA==" }],
        ["hash", { text: "true" }, { text: "true" }],
        [
          "markdown-render",
          { markdown: "7", headingIds: "TRUE" },
          { markdown: "7", headingIds: true },
        ],
        // Hosts with strict schemas send every property, with null for those that the model leaves out.
        ...[
          { rel: "nofollow", target: null },
          JSON.stringify({ rel: "nofollow", target: null }),
        ].map((links): [string, unknown, unknown] => [
          "markdown-render",
          { markdown: "a", links },
          { markdown: "a", links: { rel: "nofollow" } },
        ]),
      ];
      for (const [at, [name, args, same]] of table.entries()) {
        const key = `models-${at}`;
        const first = await caller.call(name, same, { "Idempotency-Key": key });
        assertResponse(first, 1);
        // The repeat of another request would be an error.
        const result = resultOf(await post(service, caller, call(name, args, { [KEY]: key })));
        assert.equal(result._meta["toolbooth/idempotency-replayed"], true, JSON.stringify(args));
      }
      // The API itself takes what JSON says.
      for (const body of [{ count: "2" }, { count: null }, { uppercase: "true" }]) {
        assertProblem(await caller.call("uuid", body), "invalid_request");
      }
    },
  );
}
