import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { assertCalls, type Row, typed } from "../call-table.ts";
import {
  assertProblem,
  assertResponse,
  createCaller,
  type Sent,
  type Sentence,
  sha256,
} from "../test-api.ts";

/** Bodies that are neither JSON nor a form, and parameters of the query. */
export function rawBodiesSuite(sentence: Sentence) {
  rawSentences(sentence);
  querySentences(sentence);
}

const MB = 1024 * 1024;
const OCTETS = "application/octet-stream";
const JSON_TYPE = "application/json";

function rawSentences(sentence: Sentence) {
  sentence(
    "hash takes any bytes as its body, compressed and in chunks too",
    async (service) => {
      const caller = await createCaller(service);
      const bodies = [
        Uint8Array.from({ length: 256 }, (_, byte) => byte),
        randomBytes(50_000),
        new Uint8Array(),
        Buffer.from('{"text":"a"}'),
        Buffer.from("\ufeff{"),
        gzipSync("zipped"),
      ];
      for (const body of bodies) {
        const plain = await caller.post("hash", typed(OCTETS, body));
        const hash = sha256(body);
        const whole = { ok: true, algorithm: "SHA256", hash, length: 64 };
        assert.deepEqual(assertResponse(plain, 1), whole);
        await assertCalls(caller, [
          ["hash", { ...typed(OCTETS, body), chunked: true }, { hash }],
          ["hash", typed(OCTETS, gzipSync(body), { "Content-Encoding": "gzip" }), { hash }],
        ]);
        if (body.length > 0 && body[0] !== 0x7b)
          await assertCalls(caller, [["hash", typed("text/plain", body), { hash }]]);
      }
    },
    { adapter: "binary bodies" },
  );

  sentence("a text is the main field, with the same result as in JSON", async (service) => {
    const caller = await createCaller(service);
    const rows: [tool: string, type: string, field: string, text: string][] = [
      ["markdown-render", "text/markdown", "markdown", "# Ünï\n\ncode `{`"],
      ["markdown-render", "Text/Markdown; charset=UTF-8; variant=GFM", "markdown", "a\r\nb"],
      ["markdown-render", "text/markdown", "markdown", ""],
      ["markdown-render", "text/x-markdown", "markdown", "# a"],
      ["markdown-render", "TEXT/X-Markdown; charset=utf8; variant=CommonMark", "markdown", "*a*"],
      ["markdown-render", "text/plain", "markdown", '{"text":"another field"}'],
      ["markdown-render", "text/plain;charset=UTF-8", "markdown", "{not json"],
      ["markdown-render", "text/markdown", "markdown", '{"markdown":"a"}'],
      ["qr-code", "text/plain", "text", "https://example.com/ünï"],
      ["qr-code", "text/plain", "text", '["text"]'],
    ];
    for (const [tool, type, field, text] of rows) {
      const json = assertResponse(await caller.call(tool, { [field]: text }), 1);
      await assertCalls(caller, [[tool, typed(type, text), json]]);
    }
  });

  sentence("text/plain is JSON where it is an object with the main field", async (service) => {
    const rows: Row[] = [
      ["hash", '\n{"text":"abc","algorithm":"sha1"}', { length: 40 }],
      ["hash", '{"text":"abc","algoritm":"sha1"}', "invalid_request"],
      ["hash", '{"txt":"abc"}', { hash: sha256('{"txt":"abc"}') }],
    ];
    await assertCalls(await createCaller(service), rows, { "Content-Type": "text/plain" });
  });

  sentence("raw text must be UTF-8, and within the field's limit", async (service) => {
    const caller = await createCaller(service);
    const bytes = Uint8Array.from([0x61, 0xff]);
    const most = "a".repeat(MB);
    await assertCalls(caller, [
      ["markdown-render", typed("text/markdown", bytes), "invalid_utf8"],
      ["qr-code", typed("text/plain", bytes), "invalid_utf8"],
      ["qr-code", typed("text/plain", "a".repeat(4097)), "too_large"],
      ["qr-code", typed("text/plain", "  \n"), "invalid_request"],
      ...[false, true].flatMap((chunked): Row[] => [
        ["hash", { ...typed(OCTETS, most), chunked }, { hash: sha256(most) }],
        ["hash", { ...typed(OCTETS, `${most}a`), chunked }, "too_large", /1048576/],
        ["hash", { ...typed("text/plain", `${most}a`), chunked }, "too_large", /1048576/],
        [
          "markdown-render",
          { ...typed("text/markdown", `${most}a`), chunked },
          ...(["too_large", /1048576/] as const),
        ],
      ]),
    ]);
  });
}

function querySentences(sentence: Sentence) {
  sentence("parameters of the query are fields, whatever the body", async (service) => {
    await assertCalls(await createCaller(service), [
      ["hash?algorithm=sha512", typed(JSON_TYPE, '{"text":"a"}'), { length: 128 }],
      ["hash?algorithm=SHA-512", typed("text/plain", "a"), { length: 128 }],
      ["hash?algorithm=sha1&", typed(OCTETS, "a"), { length: 40 }],
      ["hash?text=a+b%20c%2B%C3%BC", {}, { hash: sha256("a b c+ü") }],
      ["hash?text=", {}, { hash: sha256("") }],
      ["uuid?count=3&uppercase=true", {}, { count: 3, uppercase: true }],
      ["uuid?count=3e0", typed(JSON_TYPE, "{}"), { count: 3 }],
      ["qr-code?width=100.4&format=svg", typed("text/plain", "a"), { width: 100, format: "svg" }],
      ["markdown-render?format=text", typed("text/markdown", "*a*"), { text: "a" }],
    ]);
  });

  sentence("a wrong parameter is 400, costs nothing and is named in `errors`", async (service) => {
    const caller = await createCaller(service);
    const json = typed(JSON_TYPE, '{"text":"a"}');
    const rows: [path: string, sent: Sent, parameter: string, detail: RegExp][] = [
      ["hash?algoritm=sha1", json, "algoritm", /did you mean `algorithm`/],
      ["hash?x=1", json, "x", /unknown parameter/],
      ["hash?algorithm=md5", json, "algorithm", /one of/],
      ["hash?text=b", json, "text", /more than once/],
      ["hash?algorithm=sha1&algorithm=sha1", json, "algorithm", /more than once/],
      ["hash?text=b", typed("text/plain", "a"), "text", /more than once/],
      ["uuid?count=three", {}, "count", /whole number/],
      ["uuid?count=", {}, "count", /whole number/],
      ["uuid?count=0x10", {}, "count", /whole number/],
      ["uuid?uppercase=yes", {}, "uppercase", /true or false/],
      ["uuid?uppercase", {}, "uppercase", /true or false/],
      ["echo?x=1", {}, "x", /no query parameters/],
      ["uuid?__proto__=1", {}, "__proto__", /unknown parameter/],
      ["hash?text=%", {}, "text", /percent-encoded UTF-8/],
      ["hash?text=%zz", {}, "text", /percent-encoded UTF-8/],
      ["hash?text=%ff", {}, "text", /percent-encoded UTF-8/],
      ["hash?text=%ed%a0%80", {}, "text", /percent-encoded UTF-8/],
      ["hash?%ff=a", {}, "%ff", /percent-encoded UTF-8/],
    ];
    await assertCalls(
      caller,
      rows.map(([path, sent, parameter, detail]): Row => {
        return [path, sent, "invalid_request", detail, parameter];
      }),
    );
    await assertCalls(caller, [
      ["hash?algorithm=sha1", typed(JSON_TYPE, "[1]"), "invalid_request", /JSON object/],
    ]);
    const both = assertProblem(await caller.post("uuid?x=1&y=2"), "invalid_request");
    assert.equal(both.errors.length, 2, "one for each parameter");
  });

  sentence("a repeat may change only the order of the query", async (service) => {
    const caller = await createCaller(service);
    const post = (path: string, body = "") =>
      caller.post(path, { headers: { "Idempotency-Key": "query" }, body });
    assertResponse(await post("uuid?count=2&uppercase=true"), 1);
    const again = await post("uuid?uppercase=true&count=2");
    assert.equal(again.header("idempotency-replayed"), "true");
    for (const [path, body] of [
      ["uuid?count=3&uppercase=true", ""],
      ["uuid?count=2", ""],
      ["uuid", '{"count":2,"uppercase":true}'],
    ] as const)
      assertProblem(await post(path, body), "idempotency_key_reused");
  });
}
