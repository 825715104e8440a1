import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import {
  assertProblem,
  assertResponse,
  createCaller,
  type Sent,
  type Sentence,
  sha256,
} from "../test-api.ts";

/** Bodies that are not JSON, and parameters of the query. */
export function rawBodiesSuite(sentence: Sentence) {
  rawSentences(sentence);
  formSentences(sentence);
  querySentences(sentence);
}

const MB = 1024 * 1024;
const typed = (type: string, body: Sent["body"]): Sent => ({
  headers: { "Content-Type": type },
  body,
});

function rawSentences(sentence: Sentence) {
  sentence("hash takes any bytes as its body", async (service) => {
    const caller = await createCaller(service);
    const every = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const bodies = [
      every,
      randomBytes(20_000),
      new Uint8Array(),
      new TextEncoder().encode('{"text":"a"}'),
      new TextEncoder().encode("\ufeff{"),
      gzipSync("zipped"),
    ];
    for (const body of bodies) {
      const result = await caller.post("hash", typed("application/octet-stream", body));
      assert.deepEqual(assertResponse(result, 1), {
        ok: true,
        algorithm: "SHA256",
        hash: sha256(body),
        length: 64,
      });
      if (body.length > 0 && body[0] !== 0x7b) {
        const text = await caller.post("hash", typed("text/plain", body));
        assert.equal(assertResponse(text, 1).hash, sha256(body));
      }
    }
  });

  sentence("a raw body may be compressed, and chunked", async (service) => {
    const caller = await createCaller(service);
    const body = randomBytes(50_000);
    const headers = { "Content-Type": "application/octet-stream" };
    const zipped = { headers: { ...headers, "Content-Encoding": "gzip" }, body: gzipSync(body) };
    assert.equal(assertResponse(await caller.post("hash", zipped), 1).hash, sha256(body));
    const chunked = { headers, body, chunked: true };
    assert.equal(assertResponse(await caller.post("hash", chunked), 1).hash, sha256(body));
  });

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
      const raw = assertResponse(await caller.post(tool, typed(type, text)), 1);
      const json = assertResponse(await caller.call(tool, { [field]: text }), 1);
      assert.deepEqual(raw, json, `${tool} ${type} ${text}`);
    }
  });

  sentence("text/plain is JSON where it is an object with the main field", async (service) => {
    const caller = await createCaller(service);
    const body = '\n{"text":"abc","algorithm":"sha1"}';
    assert.equal(
      assertResponse(await caller.post("hash", typed("text/plain", body)), 1).length,
      40,
    );
    const wrong = '{"text":"abc","algoritm":"sha1"}';
    assertProblem(await caller.post("hash", typed("text/plain", wrong)), "invalid_request");
    const none = await caller.post("hash", typed("text/plain", '{"txt":"abc"}'));
    assert.equal(assertResponse(none, 1).hash, sha256('{"txt":"abc"}'));
  });

  sentence("raw text must be UTF-8, and within the field's limit", async (service) => {
    const caller = await createCaller(service);
    for (const [tool, type] of [
      ["markdown-render", "text/markdown"],
      ["qr-code", "text/plain"],
    ] as const) {
      const body = Uint8Array.from([0x61, 0xff]);
      assertProblem(await caller.post(tool, typed(type, body)), "invalid_utf8");
    }
    const most = "a".repeat(MB);
    for (const chunked of [false, true]) {
      const good = { ...typed("application/octet-stream", most), chunked };
      assert.equal(assertResponse(await caller.post("hash", good), 1).hash, sha256(most));
      for (const [tool, type] of [
        ["hash", "application/octet-stream"],
        ["hash", "text/plain"],
        ["markdown-render", "text/markdown"],
      ] as const) {
        const sent = { ...typed(type, `${most}a`), chunked };
        const problem = assertProblem(await caller.post(tool, sent), "too_large");
        assert.equal(problem.limit, MB, `${tool} ${type}`);
      }
    }
    assertProblem(await caller.post("qr-code", typed("text/plain", "a".repeat(4097))), "too_large");
    assertProblem(await caller.post("qr-code", typed("text/plain", "  \n")), "invalid_request");
  });
}

const BOUNDARY = "----boundary";
const FORM = `multipart/form-data; boundary=${BOUNDARY}`;

type Part = { name: string; file?: string; type?: string; body: string | Uint8Array };

function formOf(parts: readonly Part[], boundary = BOUNDARY): Uint8Array {
  const pieces = parts.flatMap(({ name, file, type, body }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file === undefined ? "" : `; filename="${file}"`}\r\n${type === undefined ? "" : `Content-Type: ${type}\r\n`}\r\n`,
    ),
    Buffer.from(body as string),
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}

function formSentences(sentence: Sentence) {
  sentence("a form has the file as the main field, and its texts as fields", async (service) => {
    const caller = await createCaller(service);
    const photo = Buffer.concat([
      randomBytes(3_000),
      Buffer.from(`\r\n--${BOUNDARY.slice(1)}\r\n`),
    ]);
    const file: Part = { name: "file", file: "a photo.jpg", type: "image/jpeg", body: photo };
    const algorithm: Part = { name: "algorithm", body: "SHA-1" };
    for (const parts of [
      [file, algorithm],
      [algorithm, file],
    ]) {
      const body = assertResponse(await caller.post("hash", typed(FORM, formOf(parts))), 1);
      assert.equal(body.length, 40);
    }
    const plain = assertResponse(await caller.post("hash", typed(FORM, formOf([file]))), 1);
    assert.equal(plain.hash, sha256(photo));
    const readme: Part = { name: "file", file: "README.md", body: "# Hello" };
    const text: Part = { name: "format", body: "text" };
    const page = await caller.post("markdown-render", typed(FORM, formOf([readme, text])));
    assert.equal(assertResponse(page, 1).text, "Hello");
    const code = formOf([
      { name: "text", body: "a" },
      { name: "width", body: "100" },
      { name: "format", body: "svg" },
    ]);
    assert.equal(assertResponse(await caller.post("qr-code", typed(FORM, code)), 1).width, 100);
    const empty = formOf([{ name: "file", file: "empty", body: "" }]);
    assert.equal(assertResponse(await caller.post("hash", typed(FORM, empty)), 1).hash, sha256(""));
  });

  sentence("a form that is not one, or has too much, is 400 and free", async (service) => {
    const caller = await createCaller(service);
    const file: Part = { name: "file", file: "a", body: "a" };
    const rows: [what: RegExp, type: string, body: string | Uint8Array][] = [
      [/no `boundary`/, "multipart/form-data", formOf([file])],
      [/does not occur/, "multipart/form-data; boundary=x", formOf([file])],
      [/last boundary is missing/, FORM, formOf([file]).subarray(0, -12)],
      [/has 2 files/, FORM, formOf([file, { ...file, name: "other" }])],
      [/more than 20 parts/, FORM, formOf(Array.from({ length: 21 }, () => file))],
      [
        /no name/,
        FORM,
        `--${BOUNDARY}\r\nContent-Disposition: form-data\r\n\r\na\r\n--${BOUNDARY}--`,
      ],
      [/Content-Disposition/, FORM, `--${BOUNDARY}\r\n\r\na\r\n--${BOUNDARY}--`],
      [
        /Content-Transfer-Encoding/,
        FORM,
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64\r\n\r\nYQ==\r\n--${BOUNDARY}--`,
      ],
      [/`text` is required/, FORM, formOf([{ name: "algorithm", body: "sha1" }])],
      [/more than once/, FORM, formOf([file, { name: "text", body: "b" }])],
      [/did you mean `algorithm`/, FORM, formOf([file, { name: "algoritm", body: "sha1" }])],
      [/one of/, FORM, formOf([file, { name: "algorithm", body: "md5" }])],
      [/end/, FORM, `--${BOUNDARY}\r\n${"a".repeat(5_000)}`],
      [/`@` before its path/, FORM, formOf([{ name: "file", body: "photo.jpg" }])],
      [/`hmacKey` must be text/, FORM, formOf([{ ...file, name: "hmacKey" }])],
      [/`base64` must be text/, FORM, formOf([{ ...file, name: "base64" }])],
    ];
    for (const [what, type, body] of rows) {
      const problem = assertProblem(
        await caller.post("hash", typed(type, body)),
        "invalid_request",
      );
      assert.match(problem.detail, what);
      assert.ok(problem.errors.length > 0);
    }
    const notText = formOf([file, { name: "algorithm", body: Uint8Array.from([0xff]) }]);
    const wrong = assertProblem(await caller.post("hash", typed(FORM, notText)), "invalid_utf8");
    assert.match(wrong.detail, /^A text of the form is not valid UTF-8/);
    const tooLarge = formOf([{ ...file, body: "a".repeat(MB + 1) }]);
    assert.equal(
      assertProblem(await caller.post("hash", typed(FORM, tooLarge)), "too_large").limit,
      MB,
    );
    assert.equal(await caller.balance(), 100);
  });

  sentence("a form is repeated by its file, whatever the boundary", async (service) => {
    const caller = await createCaller(service);
    const file: Part = { name: "file", file: "a", body: randomBytes(100) };
    const post = (boundary: string, part: Part) =>
      caller.post("hash", {
        headers: {
          "Content-Type": `multipart/form-data; boundary=${boundary}`,
          "Idempotency-Key": "form",
        },
        body: formOf([part], boundary),
      });
    const first = await post("one", file);
    assertResponse(first, 1);
    const again = await post("two", { ...file, file: "b" });
    assert.equal(assertResponse(again, 0).hash, sha256(file.body));
    assert.equal(again.header("idempotency-replayed"), "true");
    assertProblem(await post("one", { ...file, body: "b" }), "idempotency_key_reused");
    const raw = await caller.post("hash", {
      headers: { "Content-Type": "application/octet-stream", "Idempotency-Key": "form" },
      body: file.body,
    });
    assertProblem(raw, "idempotency_key_reused");
  });
}

function querySentences(sentence: Sentence) {
  sentence("parameters of the query are fields, whatever the body", async (service) => {
    const caller = await createCaller(service);
    const rows: [path: string, sent: Sent, part: Record<string, unknown>][] = [
      ["hash?algorithm=sha512", typed("application/json", '{"text":"a"}'), { length: 128 }],
      ["hash?algorithm=SHA-512", typed("text/plain", "a"), { length: 128 }],
      ["hash?algorithm=sha1&", typed("application/octet-stream", "a"), { length: 40 }],
      [
        "hash?algorithm=sha1",
        typed(FORM, formOf([{ name: "f", file: "f", body: "a" }])),
        { length: 40 },
      ],
      ["hash?text=a+b%20c%2B%C3%BC", {}, { hash: sha256("a b c+ü") }],
      ["hash?text=", {}, { hash: sha256("") }],
      ["uuid?count=3&uppercase=true", {}, { count: 3, uppercase: true }],
      ["uuid?count=3e0", typed("application/json", "{}"), { count: 3 }],
      ["qr-code?width=100.4&format=svg", typed("text/plain", "a"), { width: 100, format: "svg" }],
      ["markdown-render?format=text", typed("text/markdown", "*a*"), { text: "a" }],
    ];
    for (const [path, sent, part] of rows) {
      const body = assertResponse(await caller.post(path, sent), 1);
      for (const [name, value] of Object.entries(part)) assert.equal(body[name], value, path);
    }
  });

  sentence("a wrong parameter is 400 and free, and `errors` names it", async (service) => {
    const caller = await createCaller(service);
    const json = typed("application/json", '{"text":"a"}');
    const rows: [path: string, sent: Sent, parameter: string | undefined, detail: RegExp][] = [
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
      ["hash?algorithm=sha1", typed("application/json", "[1]"), undefined, /JSON object/],
    ];
    for (const [path, sent, parameter, detail] of rows) {
      const problem = assertProblem(await caller.post(path, sent), "invalid_request");
      assert.equal(problem.errors.length, 1, path);
      assert.equal(problem.errors[0].parameter, parameter, path);
      assert.match(problem.errors[0].detail, detail, path);
    }
    for (const query of ["text=%", "text=%zz", "text=%ff", "text=%ed%a0%80", "%ff=a"]) {
      const problem = assertProblem(await caller.post(`hash?${query}`), "invalid_request");
      assert.equal(problem.errors[0].parameter, query.split("=")[0]);
      assert.match(problem.detail, /percent-encoded UTF-8/);
    }
    assert.equal(await caller.balance(), 100);
  });

  sentence("a repeat may change the order of the query, and nothing else", async (service) => {
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
    ] as const) {
      assertProblem(await post(path, body), "idempotency_key_reused");
    }
  });
}
