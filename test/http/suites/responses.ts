import assert from "node:assert/strict";
import { checkInput } from "#tools/check-input.ts";
import type { Tool } from "#tools/define-tool.ts";
import { TOOLS } from "#tools/registry.ts";
import { fixedToolContext } from "../../support/tool-context.ts";
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
      const caller = await createCaller(service);
      const types = [
        "application/x-www-form-urlencoded",
        "text/plain",
        "text/plain;charset=UTF-8",
        "application/json",
        "Application/JSON; charset=utf-8",
        "text/json",
        "application/vnd.example+json",
      ];
      for (const type of types) {
        const result = await caller.call("hash", { text: "abc" }, { "Content-Type": type });
        assert.equal(assertResponse(result, 1).hash, sha256("abc"), type);
      }
      const bytes = new TextEncoder().encode('{"text":"abc"}');
      assert.equal(
        assertResponse(await caller.post("hash", { body: bytes }), 1).hash,
        sha256("abc"),
        "no type",
      );
    },
  );

  sentence(
    "a text large enough for another thread gets the same answer, chunked too",
    async (service) => {
      const caller = await createCaller(service);
      const text = "ä".repeat(400_000);
      for (const chunked of [false, true]) {
        const result = await caller.post("hash", { body: JSON.stringify({ text }), chunked });
        assert.equal(assertResponse(result, 1).hash, sha256(text));
      }
      const rendered = await caller.call("markdown-render", { markdown: "# x\n\n".repeat(60_000) });
      assert.equal(assertResponse(rendered, 1).html.match(/<h1>x<\/h1>/g).length, 60_000);
    },
  );
}

function exampleSentences(sentence: Sentence) {
  for (const tool of TOOLS) {
    sentence(`${tool.name} returns the fields of its examples, in their order`, async (service) => {
      const caller = await createCaller(service);
      const isReproducible = await returnsTheSame(tool);
      for (const { name, request, response } of tool.examples) {
        const body = assertResponse(await caller.call(tool.name, request), tool.price);
        assert.deepEqual(Object.keys(body), Object.keys(response as object), name);
        if (isReproducible) assert.deepEqual(body, response, name);
      }
    });
  }

  sentence("hash takes its algorithm in any case, with or without the hyphen", async (service) => {
    const caller = await createCaller(service);
    for (const algorithm of ["sha256", "SHA-256", "Sha256", "sha-256"]) {
      const body = assertResponse(await caller.call("hash", { text: "", algorithm }));
      assert.deepEqual([body.algorithm, body.hash, body.length], ["SHA256", sha256(""), 64]);
    }
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
  sentence("left out fields have the defaults of the specification", async (service) => {
    const caller = await createCaller(service);
    const qr = assertResponse(await caller.call("qr-code", { text: "a" }));
    assert.deepEqual(
      [qr.format, qr.errorCorrectionLevel, qr.width, qr.mimeType],
      ["png", "M", 256, "image/png"],
    );
    assert.match(qr.output, /^data:image\/png;base64,iVBORw0KGgo/);
    assert.equal(assertResponse(await caller.call("hash", { text: "a" })).algorithm, "SHA256");
    const markdown = assertResponse(await caller.call("markdown-render", { markdown: "*a* <b>" }));
    assert.deepEqual(Object.keys(markdown), ["ok", "html"]);
  });

  sentence(
    "markdown-render adds `text` beside `html` when it is asked for text",
    async (service) => {
      const caller = await createCaller(service);
      const body = assertResponse(
        await caller.call("markdown-render", { markdown: "*a*", format: "text" }),
      );
      assert.deepEqual(Object.keys(body), ["ok", "html", "text"]);
      assert.equal(body.text.trim(), "a");
    },
  );

  sentence(
    "uuid and echo may be called without a body, with an empty or a blank one",
    async (service) => {
      const caller = await createCaller(service);
      for (const body of [undefined, "", " \r\n\t", "\ufeff"]) {
        for (const chunked of body ? [false, true] : [false]) {
          const uuid = assertResponse(await caller.post("uuid", { body, chunked }), 1);
          assert.deepEqual([uuid.count, uuid.uppercase, uuid.uuids.length], [1, false, 1]);
          assert.equal(assertResponse(await caller.post("echo", { body, chunked }), 1).body, null);
        }
      }
    },
  );

  sentence(
    "1e2 is 100, and only the width of a QR code is rounded and clamped",
    async (service) => {
      const caller = await createCaller(service);
      const post = (tool: string, body: string) => caller.post(tool, { body });
      assert.equal(assertResponse(await post("uuid", '{"count":1e2}')).count, 100);
      assert.equal(assertResponse(await post("uuid", '{"count":5.0}')).count, 5);
      const widths = {
        "1": 64,
        "64": 64,
        "100.4": 100,
        "2048": 2048,
        "2049": 2048,
        "1e400": 2048,
        "-1e400": 64,
        "-0": 64,
      };
      for (const [given, used] of Object.entries(widths)) {
        const result = await post("qr-code", `{"text":"a","format":"svg","width":${given}}`);
        assert.equal(assertResponse(result).width, used, given);
      }
    },
  );
}

/** Texts that parsing and writing them again would change. */
const VERBATIM = [
  "12345678901234567890",
  "1.0",
  "-0",
  "1e400",
  '{"b":1,"a":2,"b":3}',
  '{"__proto__":{"polluted":true},"constructor":1}',
  '"\\ud800 \\u0041 \\/"',
  '{ "spaced" :\n[ 1 ,\t2 ] }',
  '"\u2028 ü 😀 \u007f"',
  "null",
  "false",
  '""',
  "[]",
];

function echoSentences(sentence: Sentence) {
  sentence("echo returns the text exactly as it was sent", async (service) => {
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
  });

  sentence(
    "echo tells when the request was received: ISO 8601 in UTC with milliseconds",
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
