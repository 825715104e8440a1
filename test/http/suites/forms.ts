import assert from "node:assert/strict";
import { TOOLS } from "#tools/registry.ts";
import {
  type ApiResponse,
  assertProblem,
  assertResponse,
  createCaller,
  type Sent,
  type Sentence,
  sha256,
} from "../test-api.ts";

/** Forms of both types, for every tool. */
export function formsSuite(sentence: Sentence) {
  fieldsSentences(sentence);
  partsSentences(sentence);
  oddSentences(sentence);
}

/** What `curl -d`, HTML forms and Python's `requests.post(data=…)` send (URL standard, section 5). */
const FIELDS = "application/x-www-form-urlencoded";
const PARTS = "multipart/form-data; boundary=x";
const typed = (type: string, body: Sent["body"], headers = {}): Sent => ({
  headers: { "Content-Type": type, ...headers },
  body,
});
const fields = (body: Sent["body"], headers = {}) => typed(FIELDS, body, headers);

/** A form of parts; a name with `@` is a file. */
const partsOf = (...parts: [name: string, text: string][]): string =>
  `${parts
    .map(([name, text]) => {
      const file = name.startsWith("@") ? '; filename="a"' : "";
      const own = name.replace("@", "");
      return `--x\r\nContent-Disposition: form-data; name="${own}"${file}\r\n\r\n${text}\r\n`;
    })
    .join("")}--x--\r\n`;

type Row = [tool: string, body: string | Uint8Array, expected: Record<string, unknown>];

function fieldsSentences(sentence: Sentence) {
  sentence("a form of pairs has the tool's fields, read by the schema's types", async (service) => {
    const caller = await createCaller(service);
    const rows: Row[] = [
      // curl -d text=hello
      ["hash", "text=hello", { hash: sha256("hello"), length: 64 }],
      // requests.post(data={"text": "a b+c ü&=", "algorithm": "sha1"})
      ["hash", "text=a+b%2Bc+%C3%BC%26%3D&algorithm=sha1", { length: 40 }],
      ["hash", "text=a+b%20c%2B%C3%BC", { hash: sha256("a b c+ü") }],
      // Only the first equals sign of a pair separates (URL standard, section 5.1).
      ["hash", "text=a=b=c", { hash: sha256("a=b=c") }],
      // Bytes beyond ASCII as they are, as `curl -d` sends them.
      ["hash", "text=naïve café ☕", { hash: sha256("naïve café ☕") }],
      ["hash", "text=", { hash: sha256("") }],
      ["hash", "text", { hash: sha256("") }],
      ["hash", "&text=a&", { hash: sha256("a") }],
      ["hash", "%74ext=a", { hash: sha256("a") }],
      ["hash", "text=a%00b%0D%0A", { hash: sha256("a\0b\r\n") }],
      ["hash", "\ufefftext=a", { hash: sha256("a") }],
      // The value may begin like JSON; the body does not.
      ["hash", 'text={"a":1}', { hash: sha256('{"a":1}') }],
      // A secret may be in a body.
      ["hash", "text=a&hmacKey=k&encoding=base64url", { length: 43, encoding: "base64url" }],
      ["uuid", "count=3", { count: 3 }],
      // Python writes booleans with a capital.
      ["uuid", "count=3e0&uppercase=True&version=7", { count: 3, uppercase: true, version: 7 }],
      ["uuid", "uppercase=FALSE", { count: 1, uppercase: false }],
      ["qr-code", "text=a&format=SVG&width=100.4", { format: "svg", width: 100 }],
      ["markdown-render", "markdown=*a*&format=text", { html: "<p><em>a</em></p>\n", text: "a" }],
      // No fields: as without a body.
      ["uuid", "", { count: 1 }],
      ["uuid", " \r\n", { count: 1 }],
      ["uuid", "&", { count: 1 }],
      // JSON, as before.
      ["hash", '{"text":"a"}', { hash: sha256("a") }],
      ["hash", '\ufeff \r\n\t{"text":"a"}', { hash: sha256("a") }],
      ["uuid", "[]", { count: 1 }],
      ["echo", '{"a":1.0}', { body: { a: 1 } }],
      ["echo", "1", { body: 1 }],
      ["echo", '"a=b"', { body: "a=b" }],
      ["echo", "", { body: null }],
    ];
    for (const [tool, body, expected] of rows) {
      const label = `${tool} ${body}`;
      const response = assertResponse(await caller.post(tool, fields(body)), 1);
      for (const [name, value] of Object.entries(expected)) {
        assert.deepEqual(response[name], value, label);
      }
    }
    const charset = await caller.post("hash", typed(`${FIELDS}; charset=UTF-8`, "text=a"));
    assert.equal(assertResponse(charset, 1).hash, sha256("a"));
    const upper = await caller.post("hash", typed("Application/X-WWW-Form-Urlencoded", "text=a"));
    assert.equal(assertResponse(upper, 1).hash, sha256("a"));
    const query = await caller.post("hash?algorithm=sha512", fields("text=a"));
    assert.equal(assertResponse(query, 1).length, 128);
  });

  sentence("a wrong form of pairs is 400 and free, and says what is wrong", async (service) => {
    const caller = await createCaller(service);
    const rows: [path: string, body: string, pointer: string | undefined, detail: RegExp][] = [
      ["hash", "text=a&text=a", "/text", /more than once/],
      ["hash?text=b", "text=a", undefined, /`text` is given more than once/],
      ["hash", "algorithm=sha1", "/text", /is required/],
      ["hash", "&&", "/text", /is required/],
      ["hash", "text=a&algoritm=sha1", "/algoritm", /did you mean `algorithm`/],
      ["hash", "text=a&algorithm=md5", "/algorithm", /one of/],
      ["hash", "text[]=a", "/text[]", /did you mean `text`/],
      ["hash", "text=a&__proto__=1", "/__proto__", /unknown field/],
      ["hash", "text=100% sure", "/text", /percent sign.*`%25`/],
      ["hash", "text=%", "/text", /percent sign/],
      ["hash", "text=%zz", "/text", /percent sign/],
      ["hash", "%=a", "/%", /percent sign/],
      ["hash", "hello", "/hello", /unknown field.*read as a form.*--data-urlencode/],
      ["hash", "text=Tom & Jerry", "/ Jerry", /--data-urlencode/],
      ["hash", '\'{"text":"a"}\'', undefined, /needs double quotes/],
      ["hash", "<text>a</text>", "/<text>a<~1text>", /`application\/octet-stream`/],
      ["uuid", "count=three", "/count", /whole number from 1 to 500; got "three"/],
      ["uuid", "count=", "/count", /whole number/],
      ["uuid", "count=0x10", "/count", /whole number/],
      ["uuid", "uppercase=yes", "/uppercase", /true or false/],
      ["uuid", "count=3&count=3", "/count", /more than once/],
      // A key is never taken from a field (RFC 6750, section 2.2, is not offered).
      ["uuid", "access_token=a", "/access_token", /unknown field/],
      ["qr-code", "text=", "/text", /must not be empty/],
      ["qr-code", "text=a&width=wide", "/width", /a number/],
      ["markdown-render", "# Title", "/# Title", /`text\/markdown`/],
    ];
    for (const [path, body, pointer, detail] of rows) {
      const response = await caller.post(path, fields(body));
      const problem = assertProblem(response, "invalid_request");
      assert.match(problem.detail, detail, body);
      if (pointer === undefined) continue;
      if (problem.detail.includes("did you mean")) assert.doesNotMatch(problem.detail, /curl/);
      const pointers = problem.errors.map((fault: { pointer: string }) => fault.pointer);
      assert.ok(pointers.includes(pointer), `${body}: ${pointers}`);
    }
    const many = Array.from({ length: 21 }, (_, at) => `f${at}=1`).join("&");
    const excess = assertProblem(await caller.post("uuid", fields(many)), "invalid_request");
    assert.match(excess.detail, /more than 20 fields/);
    for (const body of [
      "text=%FF",
      "text=%ed%a0%80",
      "%ff=a",
      Uint8Array.from([0x74, 0x3d, 0xff]),
    ]) {
      assertProblem(await caller.post("hash", fields(body)), "invalid_utf8");
    }
    const broken: [tool: string, body: string][] = [
      ["hash", '{"text":"a"'],
      ["hash", "{text:a}"],
      ["uuid", " [1"],
      ["markdown-render", "[![Build](a.svg)](b)"],
      ["echo", "{"],
    ];
    for (const [tool, body] of broken) {
      const problem = assertProblem(await caller.post(tool, fields(body)), "invalid_json");
      assert.equal(problem.line, 1, body);
    }
    const link = await caller.post("markdown-render", fields("[a](b)"));
    assert.match(assertProblem(link, "invalid_json").detail, /`text\/markdown`/);
    assertProblem(await caller.post("echo", fields("hello=world")), "unsupported_media_type");
    // Without its type, a form is taken for JSON.
    const untyped = await caller.post("uuid", { headers: { "Content-Type": "" }, body: "count=3" });
    assertProblem(untyped, "invalid_json");
    assert.equal(await caller.balance(), 100);
  });

  sentence(
    "a field of a form has the limit of the field, however it is encoded",
    async (service) => {
      const caller = await createCaller(service);
      const most = "é".repeat(512 * 1024);
      const encoded = `text=${encodeURIComponent(most)}`;
      assert.equal(
        assertResponse(await caller.post("hash", fields(encoded)), 1).hash,
        sha256(most),
      );
      const over = assertProblem(await caller.post("hash", fields(`${encoded}a`)), "too_large");
      assert.deepEqual([over.limit, over.size], [1_048_576, 1_048_577]);
      assert.match(over.detail, /^`text` /);
      // In parts a text is as it is; base64 is longer than its bytes.
      const base64 = Buffer.alloc(1_048_576, 7).toString("base64");
      const parts = typed(PARTS, partsOf(["base64", base64]));
      const hash = assertResponse(await caller.post("hash", parts), 1).hash;
      assert.equal(hash, sha256(Buffer.alloc(1_048_576, 7)));
    },
  );
}

function partsSentences(sentence: Sentence) {
  sentence("a form of parts has the fields of every tool that has fields", async (service) => {
    const caller = await createCaller(service);
    const rows: Row[] = [
      // curl -F count=3
      ["uuid", partsOf(["count", "3"]), { count: 3 }],
      ["uuid", partsOf(["uppercase", "true"], ["version", "7"]), { uppercase: true, version: 7 }],
      ["uuid", partsOf(), { count: 1 }],
      ["uuid", "", { count: 1 }],
      ["hash", partsOf(["text", "a"], ["hmacKey", "k"]), { length: 64 }],
      ["hash", partsOf(["text", "a=1&b+c%"]), { hash: sha256("a=1&b+c%") }],
      ["qr-code", partsOf(["text", "a;b"], ["format", "svg"]), { format: "svg" }],
      ["markdown-render", partsOf(["markdown", "*a*"], ["format", "text"]), { text: "a" }],
    ];
    for (const [tool, body, expected] of rows) {
      const response = assertResponse(await caller.post(tool, typed(PARTS, body)), 1);
      for (const [name, value] of Object.entries(expected)) {
        assert.deepEqual(response[name], value, `${tool} ${body}`);
      }
    }
    const wrong: [tool: string, body: string, detail: RegExp][] = [
      ["uuid", partsOf(["count", "3"], ["count", "3"]), /more than once/],
      ["uuid", partsOf(["count", "three"]), /whole number/],
      ["uuid", partsOf(["cuont", "3"]), /did you mean `count`/],
      ["uuid", partsOf(["@count", "3"]), /is a file, and uuid takes none.*`<`/],
      ["uuid", partsOf(["@a", "3"], ["@b", "3"]), /`a` is a file.*`b` is a file/],
      ["hash", "", /`text` is required/],
      ["hash", partsOf(), /`text` is required/],
    ];
    for (const [tool, body, detail] of wrong) {
      const problem = assertProblem(await caller.post(tool, typed(PARTS, body)), "invalid_request");
      assert.match(problem.detail, detail, body);
    }
    assertProblem(await caller.post("echo", typed(PARTS, partsOf())), "unsupported_media_type");
  });

  sentence("a repeat reads its body in the same way", async (service) => {
    const caller = await createCaller(service);
    const key = { "Idempotency-Key": "form" };
    const first = await caller.post("uuid", fields("count=2&uppercase=true", key));
    const body = assertResponse(first, 1);
    for (const same of [
      "uppercase=true&count=2",
      "count=%32&uppercase=True",
      "count=2e0&uppercase=true",
    ]) {
      const again = await caller.post("uuid", fields(same, key));
      assert.deepEqual(assertResponse(again, 0), body, same);
      assert.equal(again.header("idempotency-replayed"), "true");
      assert.equal(again.text, first.text);
    }
    for (const other of [
      fields("count=3&uppercase=true", key),
      fields('{"count":2,"uppercase":true}', key),
      typed("application/json", '{"count":2,"uppercase":true}', key),
      typed(PARTS, partsOf(["count", "2"], ["uppercase", "true"]), key),
    ]) {
      assertProblem(await caller.post("uuid", other), "idempotency_key_reused");
    }
    // JSON is the same under either type.
    const json = { "Idempotency-Key": "json" };
    assertResponse(await caller.post("uuid", fields('{"count":2}', json)), 1);
    assertResponse(await caller.post("uuid", typed("application/json", '{"count":2}', json)), 0);
  });
}

/** Bodies that are good for some tool or type, and bodies that are good for none. */
const ODD_BODIES: (string | Uint8Array)[] = [
  "",
  "\ufeff",
  " \n",
  "&=&=",
  "=",
  "=a",
  "a",
  "count=3",
  "text=a",
  "markdown=a",
  "text=%E2%98%95",
  "text=%E2%98",
  "text=%u2615",
  "%",
  "%%%",
  "{",
  "[",
  "{}",
  "[]",
  "null",
  "'",
  '"',
  '{"text":"a"}',
  "\0",
  "text=\0",
  "constructor=1&toString=2&__proto__=3",
  "a".repeat(300),
  `${"ü".repeat(300)}=1`,
  "&".repeat(5_000),
  "a&".repeat(5_000),
  "a=1;b=2",
  "--x--",
  "--x\r\n\r\n\r\n--x--",
  partsOf(["count", "3"]),
  partsOf(["text", "a"], ["text", "b"]),
  partsOf(["@text", "a"]),
  partsOf(["@", "a"]),
  partsOf(["", ""]),
  partsOf(["__proto__", "1"]),
  Uint8Array.from([0xff]),
  Uint8Array.from([0x74, 0x3d, 0xc3]),
  Uint8Array.from([0xff, 0xfe, 0x7b, 0x00]),
];

const TYPES = [
  null,
  "",
  "application/json",
  FIELDS,
  `${FIELDS};charset=utf-8`,
  `${FIELDS}; charset=iso-8859-1`,
  "multipart/form-data",
  PARTS,
  'multipart/form-data; boundary="x"; charset=utf-8',
  "multipart/mixed; boundary=x",
  "text/plain",
  "text/markdown",
  "application/octet-stream",
  "application/x-www-form-urlencoded-not",
];

function oddSentences(sentence: Sentence) {
  sentence(
    "every tool with every type and odd bodies gives a result or a client's error, and only results cost",
    async (service) => {
      const caller = await createCaller(service, { credits: 10_000 });
      let results = 0;
      for (const { name } of TOOLS) {
        for (const type of TYPES) {
          const sent = await Promise.all(
            ODD_BODIES.map((body) =>
              caller.post(name, { headers: type === null ? {} : { "Content-Type": type }, body }),
            ),
          );
          for (const response of sent)
            results += assertResultOrClientError(response, `${name} ${type}`);
        }
      }
      assert.equal(await caller.balance(), 10_000 - results);
    },
  );
}

function assertResultOrClientError({ status, text }: ApiResponse, label: string): number {
  if (status === 200) return 1;
  assert.ok(status === 400 || status === 413 || status === 415, `${label}: ${status} ${text}`);
  const { detail, code } = JSON.parse(text);
  assert.equal(typeof detail, "string");
  assert.match(code, /^invalid_(request|json|utf8)$|^too_large$|^unsupported_media_type$/);
  return 0;
}
