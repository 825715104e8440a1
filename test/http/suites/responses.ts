import assert from "node:assert/strict";
import { TOOLS } from "#tools/registry.ts";
import { assertCalls, type Row, typed } from "../call-table.ts";
import { assertResponse, createCaller, type Sentence, sha256 } from "../test-api.ts";

/** What the tools return over HTTP. The tests of each tool check its results. */
export function responsesSuite(sentence: Sentence) {
  exampleSentences(sentence);
  echoSentences(sentence);

  sentence(
    "a body is read as JSON with a JSON type, the types that curl and fetch send by default, and none",
    async (service) => {
      const types = [
        ...["application/x-www-form-urlencoded", "text/plain", "text/plain;charset=UTF-8", ""],
        ...["application/json", "Application/JSON; charset=utf-8", "text/json"],
        "application/vnd.example+json",
      ];
      const body = '{"text":"abc"}';
      const rows = types.map((type): Row => ["hash", typed(type, body), { hash: sha256("abc") }]);
      await assertCalls(await createCaller(service), [
        ...rows,
        ["hash", new TextEncoder().encode(body), { hash: sha256("abc") }],
        // Of a repeated name the last counts.
        ["hash", '{"text":"a","text":"abc"}', { hash: sha256("abc") }],
      ]);
    },
  );

  sentence(
    "a text large enough for another thread gets the same response, chunked too",
    async (service) => {
      const caller = await createCaller(service);
      const text = "ä".repeat(400_000);
      const body = JSON.stringify({ text });
      await assertCalls(caller, [
        ["hash", { body, chunked: false }, { hash: sha256(text) }],
        ["hash", { body, chunked: true }, { hash: sha256(text) }],
      ]);
      const rendered = await caller.call("markdown-render", { markdown: "# x\n\n".repeat(60_000) });
      assert.equal(assertResponse(rendered, 1).html.match(/<h1>x<\/h1>/g).length, 60_000);
    },
    { adapter: "bodies for another thread" },
  );

  sentence(
    "uuid and echo accept a missing, empty or blank body",
    async (service) => {
      const caller = await createCaller(service);
      for (const body of [undefined, "", " \r\n\t", "\ufeff"]) {
        for (const chunked of body ? [false, true] : [false]) {
          await assertCalls(caller, [
            ["uuid", { body, chunked }, { count: 1, uppercase: false }],
            ["echo", { body, chunked }, { body: null }],
          ]);
        }
      }
    },
    { adapter: "no body" },
  );
}

/** Their output depends on the time or on random bytes. */
const VARYING = ["uuid", "echo"];

function exampleSentences(sentence: Sentence) {
  for (const tool of TOOLS) {
    sentence(
      `${tool.name} returns the fields of its examples, in their order`,
      async (service) => {
        const caller = await createCaller(service);
        for (const { name, request, response } of tool.examples) {
          const body = assertResponse(await caller.call(tool.name, request), tool.price);
          assert.deepEqual(Object.keys(body), Object.keys(response as object), name);
          if (!VARYING.includes(tool.name)) assert.deepEqual(body, response, name);
        }
      },
      { adapter: "a call of each tool" },
    );
  }
}

/** Texts that parsing and writing them again would change. */
const VERBATIM = [
  ...["12345678901234567890", "1.0", "-0", "1e400", '{"b":1,"a":2,"b":3}'],
  ...['{"__proto__":{"polluted":true},"constructor":1}', '"\\ud800 \\u0041 \\/"'],
  ...['{ "spaced" :\n[ 1 ,\t2 ] }', '"\u2028 ü 😀 \u007f"', "null", "false", '""', "[]"],
];

function echoSentences(sentence: Sentence) {
  sentence(
    "echo returns the text exactly as it was sent",
    async (service) => {
      const caller = await createCaller(service);
      for (const text of VERBATIM) {
        for (const body of [text, ` \n${text}\r\n\t`, `\ufeff${text}`]) {
          const result = await caller.post("echo", { body });
          assertResponse(result);
          assert.equal(
            result.text.replace(/"receivedAt":"[^"]*"/, '"receivedAt":""'),
            `{"ok":true,"receivedAt":"","body":${text}}`,
          );
        }
      }
    },
    { adapter: "bytes of JSON" },
  );

  sentence(
    "echo returns the time of the request as ISO 8601 in UTC with milliseconds",
    async (service) => {
      const caller = await createCaller(service);
      const before = await service.now();
      const { receivedAt } = assertResponse(await caller.call("echo", 1));
      assert.match(receivedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const at = Date.parse(receivedAt);
      assert.ok(before <= at && at <= (await service.now()), receivedAt);
    },
  );
}
