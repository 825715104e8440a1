/** The parts of the playground that run without a page: links, code, digests, the layout of JSON. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { LANGUAGES } from "#site/request-code.ts";
import { describedBy } from "#tools/input-schema.ts";
import { TOOLS } from "#tools/registry.ts";
import { planCall, showCall } from "../../web/tools/call-plan.ts";
import { readExpected } from "../../web/tools/expected-digest.ts";
import { ALGORITHMS, hashStream, WORKER_GROUPS } from "../../web/tools/hash-stream.ts";
import { fragmentOf, isInputFragment, readFragment } from "../../web/tools/input-link.ts";
import { layOutJsonText } from "../../web/tools/pretty-json.ts";
import { requestText } from "../../web/tools/request-text.ts";
import { keyFault } from "../../web/tools/send-call.ts";
import { emptyValues, fieldsOf, startValues } from "../../web/tools/tool-fields.ts";
import { OWN_TOOL } from "./own-tool.ts";

const toolOf = (name: string) => TOOLS.find((tool) => tool.name === name) as (typeof TOOLS)[0];
const formOf = (name: string) => ({ tool: toolOf(name), fields: fieldsOf(toolOf(name)) });

test("every field of every tool has a label in words", () => {
  for (const tool of TOOLS) {
    for (const { name, label } of fieldsOf(tool)) {
      assert.match(label, /^[A-Z]/, `${tool.name}.${name}`);
      assert.doesNotMatch(label, /[a-z][A-Z]/, `${tool.name}.${name}`);
    }
  }
});

test("a link carries the inputs of a form, and never a secret", () => {
  const { tool, fields } = formOf("hash");
  const values = {
    ...startValues(tool),
    text: "naïve ☕ #?&",
    hmacKey: "s3cret",
    algorithm: "sha512",
  };
  const fragment = fragmentOf(fields, values) as string;
  assert.ok(isInputFragment(fragment));
  assert.doesNotMatch(decodeURIComponent(fragment), /s3cret|hmacKey/);
  const url = new URL(`https://a.example/tools/hash${fragment}`);
  assert.deepEqual(readFragment(fields, url.hash), { values: { ...values, hmacKey: "" } });
  assert.equal(fragmentOf(fields, { ...values, text: "a".repeat(10_000) }), null);
});

test("a hostile fragment sets no input and says why", () => {
  const { fields } = formOf("uuid");
  const hash = formOf("hash").fields;
  const fragment = (value: unknown) => `#input=${encodeURIComponent(JSON.stringify(value))}`;
  const faults: [typeof fields, string, RegExp][] = [
    [fields, "#input=", /damaged/],
    [fields, "#input=%", /damaged/],
    [fields, "#input=%ff", /damaged/],
    [fields, "#input=%7B", /damaged/],
    [fields, `#input=${"a".repeat(8_000)}`, /too long/],
    ...[null, 1, "a", []].map((value): [typeof fields, string, RegExp] => [
      fields,
      fragment(value),
      /no inputs/,
    ]),
    [fields, fragment({ other: 1 }), /does not have/],
    [fields, fragment({ count: {} }), /does not have/],
    [fields, fragment({ version: 5 }), /does not have/],
    [fields, fragment({ uppercase: "yes" }), /does not have/],
    [fields, "#input=%7B%22__proto__%22%3A%7B%22a%22%3A1%7D%7D", /does not have/],
    [fields, fragment({ constructor: "a" }), /does not have/],
    [hash, fragment({ hmacKey: "a" }), /does not have/],
    [hash, fragment({ base64: "YQ" }), /does not have/],
  ];
  for (const [form, text, expected] of faults) {
    const read = readFragment(form, text);
    assert.ok("fault" in read, text);
    assert.match(read.fault, expected, text);
  }
});

const FILE = { name: "photo.jpg", size: 3, blob: new Blob([]), text: null };

test("a file is sent as bytes with the fields in the query, and with a secret as base64 in JSON", () => {
  const { tool, fields } = formOf("hash");
  const values = { ...startValues(tool), text: "", algorithm: "sha512" };
  const file = { ...FILE, bytes: Uint8Array.of(1, 2, 255) };
  const raw = planCall(tool, fields, { values, file });
  assert.equal(raw?.contentType, "application/octet-stream");
  assert.equal(raw?.query, "algorithm=sha512");
  assert.deepEqual(raw?.body, file.bytes);
  const json = planCall(tool, fields, { values: { ...values, hmacKey: "k" }, file });
  assert.equal(json?.query, "");
  assert.deepEqual(JSON.parse(Buffer.from(json?.body ?? []).toString()), {
    ...{ base64: "AQL/", algorithm: "sha512", hmacKey: "k" },
  });
  assert.equal(planCall(tool, fields, { values, file: { ...FILE, bytes: null } }), null);
});

test("the code follows the form: JSON, a long text as a file, a file, and no secret", () => {
  const url = "https://a.example/api/v1/x";
  const { tool, fields } = formOf("hash");
  const values = { ...startValues(tool), text: "a" };
  assert.deepEqual(showCall(tool, fields, { values, file: null }, url).call, {
    ...{ url, body: { text: "a" } },
  });
  const long = { ...values, text: "a".repeat(3_000), encoding: "base64" };
  assert.deepEqual(showCall(tool, fields, { values: long, file: null }, url), {
    call: {
      url: `${url}?encoding=base64`,
      file: { name: "input.txt", type: "application/octet-stream" },
    },
    fileContent: { name: "input.txt", text: long.text },
    hasSecret: false,
  });
  const secret = { values: { ...values, hmacKey: "s3cret" }, file: { ...FILE, bytes: null } };
  const shown = showCall(tool, fields, secret, url);
  for (const { write } of LANGUAGES) {
    const code = write(shown.call);
    assert.match(code, /YOUR_SECRET/);
    assert.match(code, /photo\.jpg/);
    assert.doesNotMatch(code, /s3cret/);
  }
  const markdown = formOf("markdown-render");
  const readme = { markdown: "#".repeat(3_000), format: "text", headingIds: true, baseUrl: "" };
  assert.deepEqual(
    showCall(markdown.tool, markdown.fields, { values: readme, file: null }, url).call,
    {
      url: `${url}?format=text&headingIds=true`,
      file: { name: "input.md", type: "text/markdown" },
    },
  );
  const echo = formOf("echo");
  const big = { body: '{"n":12345678901234567890}' };
  const { call } = showCall(echo.tool, echo.fields, { values: big, file: null }, url);
  for (const { write } of LANGUAGES) {
    assert.match(write(call), /12345678901234567890/);
  }
});

test("the form of an own tool has a control for every kind of field, and sends what the schema takes", () => {
  const fields = fieldsOf(OWN_TOOL);
  assert.deepEqual(
    fields.map(({ name, kind }) => [name, kind]),
    [
      ...[["text", "text"] as const, ["ignore", "json"] as const, ["language", "choice"] as const],
      ...[["unique", "switch"] as const, ["author", "line"] as const, ["from", "number"] as const],
    ],
  );
  assert.deepEqual(fields.at(-1)?.range, { min: 1, max: 9 });
  const empty = emptyValues(fields);
  assert.deepEqual(JSON.parse(requestText(fields, empty)), { text: "", unique: false });
  assert.deepEqual(
    JSON.parse(requestText(fields, startValues(OWN_TOOL))),
    OWN_TOOL.examples[0]?.request,
  );
  const written = { ...empty, text: "a", ignore: "not JSON", from: 2 };
  assert.deepEqual(JSON.parse(requestText(fields, written)), {
    ...{ text: "a", ignore: "not JSON", unique: false, from: 2 },
  });
});

test("a number is sent as one, however it was typed, and what is none as its text", () => {
  const fields = fieldsOf(OWN_TOOL);
  const sent = (from: string) =>
    JSON.parse(requestText(fields, { ...emptyValues(fields), from })).from;
  for (const [typed, expected] of [
    ...[["1.05", 1.05] as const, ["2.0", 2] as const, ["007", 7] as const, ["-0.5", -0.5] as const],
    ...[["1e3", 1000] as const, ["1.", "1."] as const, ["1e999", "1e999"] as const],
  ])
    assert.equal(sent(typed), expected, typed);
  assert.equal(sent("1.0"), undefined, "the default");
});

test("an own tool whose schema names no fields has one field for the whole body", () => {
  const tool = { ...OWN_TOOL, input: describedBy({ type: "object" }), examples: [] };
  const fields = fieldsOf(tool);
  assert.deepEqual(
    fields.map(({ name, kind }) => [name, kind]),
    [["body", "body"]],
  );
  assert.deepEqual(startValues(tool), { body: "" });
  assert.equal(requestText(fields, { body: '{"n":1e400}' }), '{"n":1e400}');
});

test("JSON is laid out without changing what it says, and in bounded time", () => {
  const text = '{"b":12345678901234567890,"a":[1.0,{}, [] ,"x\\"{}"],"a":null,"é":""}';
  assert.equal(
    layOutJsonText(text, 20_000),
    '{\n  "b": 12345678901234567890,\n  "a": [\n    1.0,\n    {},\n    [],\n    "x\\"{}"\n  ],\n  "a": null,\n  "é": ""\n}',
  );
  for (const long of [
    "[".repeat(1_000_000),
    `["${"a".repeat(1_000_000)}"]`,
    "[1,".repeat(300_000),
  ]) {
    const { length } = layOutJsonText(long, 1_000);
    assert.ok(length > 1_000 && length < 3_000);
  }
});

test("a stream of any length is hashed piece by piece, with every digest", async () => {
  const piece = randomBytes(64 * 1024);
  const count = 40;
  let inMemory = 0;
  let most = 0;
  let sent = 0;
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        inMemory += 1;
        most = Math.max(most, inMemory);
        if (sent === count) controller.close();
        else controller.enqueue(piece);
        sent += 1;
      },
    },
    { highWaterMark: 0 },
  );
  const seen: number[] = [];
  const digests = await hashStream(stream, WORKER_GROUPS.flat(), (bytes) => {
    inMemory -= 1;
    seen.push(bytes);
  });
  assert.equal(most, 1);
  assert.deepEqual([seen.length, seen.at(-1)], [count, count * piece.byteLength]);
  for (const algorithm of ALGORITHMS) {
    const expected = createHash(algorithm);
    for (let at = 0; at < count; at += 1) expected.update(piece);
    assert.deepEqual(Buffer.from(digests[algorithm] ?? []), expected.digest(), algorithm);
  }
});

test("an expected digest is read as people publish it", () => {
  const digest = (algorithm: string, encoding: "hex" | "base64") =>
    createHash(algorithm).update("x").digest(encoding);
  const hex = digest("sha256", "hex");
  for (const [text, algorithm] of [
    [hex, "sha256"],
    [` ${hex.toUpperCase()}\n`, "sha256"],
    [hex.match(/../g)?.join(":"), "sha256"],
    [`${hex.slice(0, 32)}\n${hex.slice(32)}`, "sha256"],
    [`sha256:${hex}`, "sha256"],
    [`SHA-256 = ${hex}`, "sha256"],
    [digest("sha256", "base64"), "sha256"],
    [
      digest("sha512", "base64").replace(/=+$/, "").replaceAll("+", "-").replaceAll("/", "_"),
      "sha512",
    ],
    [`sha384-${digest("sha384", "base64")}`, "sha384"],
    [digest("sha1", "hex"), "sha1"],
    [`${hex}  a.iso\n`, "sha256"],
    [`${hex} *dir/a.iso`, "sha256"],
    [`${digest("sha256", "hex").replaceAll(/./g, "0")}  b.iso\r\n${hex}  a.iso\r\n`, "sha256"],
    [`SHA256 (a.iso) = ${hex}`, "sha256"],
  ] as [string, "sha256"][]) {
    const read = readExpected(text, "a.iso");
    assert.ok(read !== null && "bytes" in read, text);
    assert.equal(read.algorithm, algorithm);
    assert.equal(Buffer.from(read.bytes).toString("hex"), digest(algorithm, "hex"), text);
  }
  assert.equal(readExpected(" \n", null), null);
  for (const text of [
    "abc",
    hex.slice(1),
    `${hex}0`,
    "sha1:zz",
    `sha512:${hex}`,
    "d41d8cd98f00b204e9800998ecf8427e",
  ]) {
    const read = readExpected(text, null);
    assert.ok(read !== null && "fault" in read, text);
  }
  const others = readExpected(`${hex}  b.iso\n${hex}  c.iso`, "a.iso");
  assert.ok(others !== null && "fault" in others && /none has the name/.test(others.fault));
});

test("only what can be a key is sent as one", () => {
  assert.equal(keyFault("tb_abc"), null);
  for (const key of ["", "abc", "tb_a b", "tb_é", "tb_a\r\nX: y"]) assert.ok(keyFault(key), key);
});
