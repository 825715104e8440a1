import assert from "node:assert/strict";
import { checkInput } from "#tools/check-input.ts";
import type { Tool } from "#tools/define-tool.ts";
import { TOOLS } from "#tools/registry.ts";
import { fixedToolContext } from "../../support/tool-context.ts";
import { assertCalls, type Row, typed } from "../call-table.ts";
import { assertResponse, createCaller, type Sentence, sha256 } from "../test-api.ts";

/** What the tools return over HTTP. The tests of each tool check its results. */
export function responsesSuite(sentence: Sentence) {
  exampleSentences(sentence);
  defaultSentences(sentence);
  echoSentences(sentence);

  sentence("fields come in the order of the specification, and no others", async (service) => {
    const caller = await createCaller(service);
    const rows: [string, unknown, string[]][] = [
      ["markdown-render", { markdown: "a" }, ["ok", "html"]],
      ["markdown-render", { markdown: "a", format: "text" }, ["ok", "html", "text"]],
      [
        "qr-code",
        { text: "a", format: "svg" },
        ["ok", "format", "errorCorrectionLevel", "width", "mimeType", "output"],
      ],
      ["hash", { text: "a" }, ["ok", "algorithm", "hash", "length"]],
      ["uuid", {}, ["ok", "count", "uppercase", "uuids"]],
      ["echo", {}, ["ok", "receivedAt", "body"]],
    ];
    for (const [tool, body, fields] of rows) {
      assert.deepEqual(Object.keys(assertResponse(await caller.call(tool, body), 1)), fields, tool);
    }
  });

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
}

function exampleSentences(sentence: Sentence) {
  for (const tool of TOOLS) {
    sentence(
      `${tool.name} returns the fields of its examples, in their order`,
      async (service) => {
        const caller = await createCaller(service);
        const isReproducible = await returnsTheSame(tool);
        for (const { name, request, response } of tool.examples) {
          const body = assertResponse(await caller.call(tool.name, request), tool.price);
          assert.deepEqual(Object.keys(body), Object.keys(response as object), name);
          if (isReproducible) assert.deepEqual(body, response, name);
        }
      },
      { adapter: "a call of each tool" },
    );
  }

  sentence("hash takes its algorithm in any case, with or without the hyphen", async (service) => {
    const result = { algorithm: "SHA256", hash: sha256(""), length: 64 };
    const rows = ["sha256", "SHA-256", "Sha256", "sha-256"].map((algorithm): Row => {
      return ["hash", JSON.stringify({ text: "", algorithm }), result];
    });
    await assertCalls(await createCaller(service), rows);
  });

  sentence("uuid gives as many different version 4 values as asked for", async (service) => {
    const caller = await createCaller(service);
    const body = assertResponse(await caller.call("uuid", { count: 500, uppercase: true }));
    assert.deepEqual([body.count, body.uppercase, new Set(body.uuids).size], [500, true, 500]);
    const form = /^[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}$/;
    for (const uuid of body.uuids) assert.match(uuid, form);
    assert.equal(assertResponse(await caller.call("uuid", { count: 1 })).uuids.length, 1);
  });
}

function defaultSentences(sentence: Sentence) {
  sentence("omitted fields have the defaults of the specification", async (service) => {
    const caller = await createCaller(service);
    const code = { format: "png", errorCorrectionLevel: "M", width: 256, mimeType: "image/png" };
    await assertCalls(caller, [
      ["qr-code", '{"text":"a"}', code],
      ["hash", '{"text":"a"}', { algorithm: "SHA256" }],
    ]);
    const { output } = assertResponse(await caller.call("qr-code", { text: "a" }));
    assert.match(output, /^data:image\/png;base64,iVBORw0KGgo/);
  });

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

  sentence(
    "1e2 is 100, and only the width of a QR code is rounded and clamped",
    async (service) => {
      const widths: Record<number, string[]> = {
        64: ["1", "64", "-1e400", "-0"],
        100: ["100.4"],
        2048: ["2048", "2049", "1e400"],
      };
      const codes = Object.entries(widths).flatMap(([used, given]) =>
        given.map((width): Row => {
          const body = `{"text":"a","format":"svg","width":${width}}`;
          return ["qr-code", body, { width: Number(used) }];
        }),
      );
      await assertCalls(await createCaller(service), [
        ["uuid", '{"count":1e2}', { count: 100 }],
        ["uuid", '{"count":5.0}', { count: 5 }],
        ...codes,
      ]);
    },
  );
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

/** Whether the output depends only on the input, not on the time or random bytes. */
async function returnsTheSame(tool: Tool): Promise<boolean> {
  const request = tool.examples[0]?.request;
  const { input } = checkInput(tool, tool.verbatim ? JSON.stringify(request) : request);
  const context = fixedToolContext();
  const first = await tool.run(input, context);
  const second = await tool.run(input, { ...context, receivedAt: context.receivedAt + 1 });
  return JSON.stringify(first) === JSON.stringify(second);
}
