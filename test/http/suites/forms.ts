import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { assertCalls, FIELDS, type Row, typed } from "../call-table.ts";
import {
  assertProblem,
  assertResponse,
  createCaller,
  type Sent,
  type Sentence,
  sha256,
} from "../test-api.ts";

/** Forms of both types, for every tool. Random ones are in `test/calls/forms.test.ts`. */
export function formsSuite(sentence: Sentence) {
  fieldsSentences(sentence);
  partsSentences(sentence);
  fileSentences(sentence);
}

const MB = 1024 * 1024;
const PARTS = "multipart/form-data; boundary=x";
const fields = (body: Sent["body"], headers = {}) => typed(FIELDS, body, headers);
const parts = (body: Sent["body"], headers = {}) => typed(PARTS, body, headers);

type Part = { name: string; file?: string; type?: string; body: string | Uint8Array };

function formOf(all: readonly Part[], boundary = "x"): Uint8Array {
  const pieces = all.flatMap(({ name, file, type, body }) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"`),
    Buffer.from(file === undefined ? "\r\n" : `; filename="${file}"\r\n`),
    Buffer.from(type === undefined ? "\r\n" : `Content-Type: ${type}\r\n\r\n`),
    Buffer.from(body as string),
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
}

/** A form of texts; a name with `@` is a file. */
const textsOf = (...texts: [name: string, text: string][]): Uint8Array =>
  formOf(
    texts.map(([name, body]) =>
      name.startsWith("@") ? { name: name.slice(1), file: "a", body } : { name, body },
    ),
  );

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
      ["hash?algorithm=sha512", "text=a", { length: 128 }],
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
      // JSON, as without this type.
      ["hash", '{"text":"a"}', { hash: sha256("a") }],
      ["hash", '\ufeff \r\n\t{"text":"a"}', { hash: sha256("a") }],
      ["uuid", "[]", { count: 1 }],
      ["echo", '{"a":1.0}', { body: { a: 1 } }],
      ["echo", "1", { body: 1 }],
      ["echo", '"a=b"', { body: "a=b" }],
      ["echo", "", { body: null }],
    ];
    await assertCalls(caller, rows, { "Content-Type": FIELDS });
    for (const type of [`${FIELDS}; charset=UTF-8`, "Application/X-WWW-Form-Urlencoded"])
      await assertCalls(caller, [["hash", typed(type, "text=a"), { hash: sha256("a") }]]);
  });

  sentence("a wrong form of pairs is 400, costs nothing and names the fault", async (service) => {
    const caller = await createCaller(service);
    const many = Array.from({ length: 21 }, (_, at) => `f${at}=1`).join("&");
    const rows: Row[] = [
      ["hash", "text=a&text=a", "invalid_request", /more than once/, "/text"],
      ["hash?text=b", "text=a", "invalid_request", /`text` is given more than once/],
      ["hash", "algorithm=sha1", "invalid_request", /is required/, "/text"],
      ["hash", "&&", "invalid_request", /is required/, "/text"],
      ["hash", "text=a&algoritm=sha1", "invalid_request", /did you mean `algorithm`/, "/algoritm"],
      ["hash", "text=a&algorithm=md5", "invalid_request", /one of/, "/algorithm"],
      ["hash", "text[]=a", "invalid_request", /did you mean `text`/, "/text[]"],
      ["hash", "text=a&__proto__=1", "invalid_request", /unknown field/, "/__proto__"],
      ["hash", "text=100% sure", "invalid_request", /percent sign.*`%25`/, "/text"],
      ["hash", "text=%", "invalid_request", /percent sign/, "/text"],
      ["hash", "text=%zz", "invalid_request", /percent sign/, "/text"],
      ["hash", "%=a", "invalid_request", /percent sign/, "/%"],
      ["hash", "hello", "invalid_request", /unknown field.*read as a form.*--data-urlencode/],
      ["hash", "text=Tom & Jerry", "invalid_request", /--data-urlencode/, "/ Jerry"],
      ["hash", '\'{"text":"a"}\'', "invalid_request", /needs double quotes/],
      ["hash", "<text>a</text>", "invalid_request", /`application\/octet-stream`/],
      ["uuid", "count=three", "invalid_request", /whole number from 1 to 500; got "three"/],
      ["uuid", "count=", "invalid_request", /whole number/, "/count"],
      ["uuid", "count=0x10", "invalid_request", /whole number/, "/count"],
      ["uuid", "uppercase=yes", "invalid_request", /true or false/, "/uppercase"],
      ["uuid", "count=3&count=3", "invalid_request", /more than once/, "/count"],
      ["uuid", many, "invalid_request", /more than 20 fields/],
      // A key is never taken from a field (RFC 6750, section 2.2, is not offered).
      ["uuid", "access_token=a", "invalid_request", /unknown field/, "/access_token"],
      ["qr-code", "text=", "invalid_request", /must not be empty/, "/text"],
      ["qr-code", "text=a&width=wide", "invalid_request", /a number/, "/width"],
      ["markdown-render", "# Title", "invalid_request", /`text\/markdown`/],
      ["markdown-render", "[a](b)", "invalid_json", /`text\/markdown`/],
      ["markdown-render", "[![Build](a.svg)](b)", "invalid_json", /line 1/],
      ["hash", "text=%FF", "invalid_utf8"],
      ["hash", "text=%ed%a0%80", "invalid_utf8"],
      ["hash", "%ff=a", "invalid_utf8"],
      ["hash", Uint8Array.from([0x74, 0x3d, 0xff]), "invalid_utf8"],
      ["hash", '{"text":"a"', "invalid_json", /line 1/],
      ["hash", "{text:a}", "invalid_json", /line 1/],
      ["uuid", " [1", "invalid_json", /line 1/],
      ["echo", "{", "invalid_json", /line 1/],
      ["echo", "hello=world", "unsupported_media_type"],
    ];
    await assertCalls(caller, rows, { "Content-Type": FIELDS });
    // Without its type, a form is taken for JSON.
    await assertCalls(caller, [["uuid", "count=3", "invalid_json"]], { "Content-Type": "" });
    const misspelt = await caller.post("hash", fields("text=a&algoritm=sha1"));
    assert.doesNotMatch(misspelt.json().detail, /curl/, "the name is enough of a hint");
  });

  sentence(
    "a field of a form has the limit of the field, however it is encoded",
    async (service) => {
      const caller = await createCaller(service);
      const most = "é".repeat(512 * 1024);
      const encoded = `text=${encodeURIComponent(most)}`;
      // In parts a text is as it is; base64 is longer than its bytes.
      const bytes = Buffer.alloc(MB, 7);
      await assertCalls(caller, [
        ["hash", fields(encoded), { hash: sha256(most) }],
        ["hash", parts(textsOf(["base64", bytes.toString("base64")])), { hash: sha256(bytes) }],
      ]);
      const over = assertProblem(await caller.post("hash", fields(`${encoded}a`)), "too_large");
      assert.deepEqual([over.limit, over.size], [MB, MB + 1]);
      assert.match(over.detail, /^`text` /);
    },
  );
}

function partsSentences(sentence: Sentence) {
  sentence("a form of parts has the fields of every tool that has fields", async (service) => {
    const caller = await createCaller(service);
    const switches = textsOf(["uppercase", "true"], ["version", "7"]);
    const rows: Row[] = [
      // curl -F count=3
      ["uuid", textsOf(["count", "3"]), { count: 3 }],
      ["uuid", switches, { uppercase: true, version: 7 }],
      ["uuid", textsOf(), { count: 1 }],
      ["uuid", "", { count: 1 }],
      ["hash", textsOf(["text", "a"], ["hmacKey", "k"]), { length: 64 }],
      ["hash", textsOf(["text", "a=1&b+c%"]), { hash: sha256("a=1&b+c%") }],
      ["qr-code", textsOf(["text", "a;b"], ["format", "svg"]), { format: "svg" }],
      ["markdown-render", textsOf(["markdown", "*a*"], ["format", "text"]), { text: "a" }],
      ["uuid", textsOf(["count", "3"], ["count", "3"]), "invalid_request", /more than once/],
      ["uuid", textsOf(["count", "three"]), "invalid_request", /whole number/],
      ["uuid", textsOf(["cuont", "3"]), "invalid_request", /did you mean `count`/],
      ["uuid", textsOf(["@count", "3"]), "invalid_request", /is a file, and uuid takes none.*`<`/],
      ["uuid", textsOf(["@a", "3"], ["@b", "3"]), "invalid_request", /`a` is a.*`b` is a file/],
      ["hash", "", "invalid_request", /`text` is required/],
      ["hash", textsOf(), "invalid_request", /`text` is required/],
      ["echo", textsOf(), "unsupported_media_type"],
    ];
    await assertCalls(caller, rows, { "Content-Type": PARTS });
  });

  sentence("a repeat reads its body in the same way", async (service) => {
    const caller = await createCaller(service);
    const key = { "Idempotency-Key": "form" };
    const first = await caller.post("uuid", fields("count=2&uppercase=true", key));
    assertResponse(first, 1);
    const spellings = [
      "uppercase=true&count=2",
      "count=%32&uppercase=True",
      "count=2e0&uppercase=true",
    ];
    for (const same of spellings) {
      const again = await caller.post("uuid", fields(same, key));
      assertResponse(again, 0);
      assert.equal(again.header("idempotency-replayed"), "true");
      assert.equal(again.text, first.text, same);
    }
    const json = '{"count":2,"uppercase":true}';
    await assertCalls(caller, [
      ["uuid", fields("count=3&uppercase=true", key), "idempotency_key_reused"],
      ["uuid", fields(json, key), "idempotency_key_reused"],
      ["uuid", typed("application/json", json, key), "idempotency_key_reused"],
      [
        "uuid",
        parts(textsOf(["count", "2"], ["uppercase", "true"]), key),
        "idempotency_key_reused",
      ],
    ]);
    // JSON is the same under either type.
    const other = { "Idempotency-Key": "json" };
    assertResponse(await caller.post("uuid", fields(json, other)), 1);
    assertResponse(await caller.post("uuid", typed("application/json", json, other)), 0);
  });
}

function fileSentences(sentence: Sentence) {
  sentence("a form has the file as the main field, and its texts as fields", async (service) => {
    const caller = await createCaller(service);
    // It has a line that looks like a boundary.
    const photo = Buffer.concat([randomBytes(3_000), Buffer.from("\r\n--y\r\n")]);
    const file: Part = { name: "file", file: "a photo.jpg", type: "image/jpeg", body: photo };
    const algorithm: Part = { name: "algorithm", body: "SHA-1" };
    const readme: Part = { name: "file", file: "README.md", body: "# Hello" };
    const rows: Row[] = [
      ["hash", formOf([file, algorithm]), { length: 40 }],
      ["hash", formOf([algorithm, file]), { length: 40 }],
      ["hash", formOf([file]), { hash: sha256(photo) }],
      ["hash", formOf([{ name: "file", file: "empty", body: "" }]), { hash: sha256("") }],
      ["markdown-render", formOf([readme, { name: "format", body: "text" }]), { text: "Hello" }],
      ["qr-code", textsOf(["text", "a"], ["width", "100"], ["format", "svg"]), { width: 100 }],
    ];
    await assertCalls(caller, rows, { "Content-Type": PARTS });
  });

  sentence(
    "a broken form, or one with too many parts, is 400 and costs nothing",
    async (service) => {
      const caller = await createCaller(service);
      const file: Part = { name: "file", file: "a", body: "a" };
      const one = (header: string) => `--x\r\n${header}\r\n\r\na\r\n--x--`;
      const encoded =
        'Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64';
      const wrong: [body: string | Uint8Array, detail: RegExp, type?: string][] = [
        [formOf([file]), /no `boundary`/, "multipart/form-data"],
        [formOf([file]), /does not occur/, "multipart/form-data; boundary=y"],
        [formOf([file]).subarray(0, -5), /last boundary is missing/],
        [formOf([file, { ...file, name: "other" }]), /has 2 files/],
        [formOf(Array.from({ length: 21 }, () => file)), /more than 20 parts/],
        [one("Content-Disposition: form-data"), /no name/],
        ["--x\r\n\r\na\r\n--x--", /Content-Disposition/],
        [one(encoded), /Content-Transfer-Encoding/],
        [textsOf(["algorithm", "sha1"]), /`text` is required/],
        [formOf([file, { name: "text", body: "b" }]), /more than once/],
        [formOf([file, { name: "algoritm", body: "sha1" }]), /did you mean `algorithm`/],
        [formOf([file, { name: "algorithm", body: "md5" }]), /one of/],
        [`--x\r\n${"a".repeat(5_000)}`, /end/],
        [textsOf(["file", "photo.jpg"]), /`@` before its path/],
        [formOf([{ ...file, name: "hmacKey" }]), /`hmacKey` must be text/],
        [formOf([{ ...file, name: "base64" }]), /`base64` must be text/],
      ];
      const notText = formOf([file, { name: "algorithm", body: Uint8Array.from([0xff]) }]);
      await assertCalls(caller, [
        ...wrong.map(
          ([body, detail, type = PARTS]): Row => [
            "hash",
            typed(type, body),
            "invalid_request",
            detail,
          ],
        ),
        ["hash", parts(notText), "invalid_utf8", /^A text of the form is not valid UTF-8/],
        ["hash", parts(formOf([{ ...file, body: "a".repeat(MB + 1) }])), "too_large", /1048576/],
      ]);
    },
  );

  sentence("a form is repeated by its file, whatever the boundary", async (service) => {
    const caller = await createCaller(service);
    const file: Part = { name: "file", file: "a", body: randomBytes(100) };
    const key = { "Idempotency-Key": "form" };
    const post = (boundary: string, part: Part) =>
      caller.post(
        "hash",
        typed(`multipart/form-data; boundary=${boundary}`, formOf([part], boundary), key),
      );
    assertResponse(await post("one", file), 1);
    const again = await post("two", { ...file, file: "b" });
    assert.equal(assertResponse(again, 0).hash, sha256(file.body));
    assert.equal(again.header("idempotency-replayed"), "true");
    assertProblem(await post("one", { ...file, body: "b" }), "idempotency_key_reused");
    const raw = await caller.post("hash", typed("application/octet-stream", file.body, key));
    assertProblem(raw, "idempotency_key_reused");
  });
}
