import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod/mini";
import { FormReader } from "#calls/multipart.ts";
import { readInput } from "#calls/read-input.ts";
import { ApiError } from "#errors.ts";
import { checkInput } from "#tools/check-input.ts";
import { defineTool, type Tool } from "#tools/define-tool.ts";
import hash from "#tools/hash/tool.ts";
import { inputOfFields, ownSchema } from "#tools/openapi-schema.ts";
import { ownTool } from "#tools/own-tool.ts";
import { TOOLS } from "#tools/registry.ts";
import { anyCharacter } from "../support/arbitraries.ts";
import fc from "../support/properties.ts";

/** Forms as the runtime's own `URLSearchParams` and `FormData` write them, and random bytes in their place. */
const numRuns = Number(process.env["TEST_FUZZ_RUNS"] ?? 5_000);
const FIELDS = "application/x-www-form-urlencoded";
const texts = fc.record({
  text: fc.string({ unit: "grapheme", maxLength: 100 }),
  hmacKey: fc.string({ unit: anyCharacter, minLength: 1, maxLength: 40 }),
  algorithm: fc.constantFrom("sha1", "SHA-256", "sha512"),
});

test("the fields of a form are those that URLSearchParams has written", () => {
  fc.assert(
    fc.property(texts, (record) => {
      const wellFormed = { ...record, text: record.text.toWellFormed() };
      wellFormed.hmacKey = record.hmacKey.toWellFormed();
      const body = Buffer.from(new URLSearchParams(wellFormed).toString());
      const sent = readInput(hash, { body, contentType: FIELDS, query: "" });
      assert.deepEqual(sent.value, wellFormed);
      assert.equal(sent.kind, "fields");
    }),
  );
});

test("the fields of a form are those that FormData has written", async () => {
  await fc.assert(
    fc.asyncProperty(texts, async (record) => {
      const form = new FormData();
      // FormData turns single line feeds and returns into both, as HTML forms do.
      const lines = (text: string) => text.toWellFormed().replace(/\r\n|\r|\n/g, "\r\n");
      const wellFormed = { ...record, text: lines(record.text), hmacKey: lines(record.hmacKey) };
      for (const [name, value] of Object.entries(wellFormed)) form.append(name, value);
      const response = new Response(form);
      const contentType = response.headers.get("content-type");
      const body = new Uint8Array(await response.arrayBuffer());
      const sent = readInput(hash, { body, contentType, query: "" });
      assert.deepEqual(sent.value, wellFormed);
      assert.equal(sent.kind, "form");
    }),
  );
});

const NODE = z.object({
  get children() {
    return z.optional(z.array(NODE));
  },
});

const BARE = { summary: "Takes fields.", price: 1, run: () => ({}) };

/** Items of every kind, each in a list of its own. */
const LISTS = ownTool(
  "lists",
  defineTool({
    ...BARE,
    input: {
      tags: z.array(z.string()),
      counts: z.optional(z.array(z.int())),
      flags: z.optional(z.array(z.boolean())),
      points: z.optional(z.array(z.object({ x: z.number() }))),
      rows: z.optional(z.array(z.array(z.int()))),
      one: z.optional(z.object({ x: z.number() })),
      within: z.optional(z.array(NODE)),
    },
  }),
);

/** The arguments of a call in a message of MCP. */
const requestOfModel = (value: object) => ({
  ...{ body: Buffer.from(JSON.stringify(value)), contentType: "application/json", query: "" },
  isOfModel: true,
});
const inputOfModel = (tool: Tool, value: object) => readInput(tool, requestOfModel(value)).value;

/** The fields as each kind of form and the query have them. */
async function sentInEveryWay(pairs: readonly [name: string, text: string][]) {
  const form = new FormData();
  for (const [name, text] of pairs) form.append(name, text);
  const parts = new Response(form);
  const query = new URLSearchParams(pairs.map(([...pair]) => pair)).toString();
  const none = new Uint8Array();
  return [
    { body: none, contentType: null, query },
    { body: Buffer.from(query), contentType: FIELDS, query: "" },
    {
      body: new Uint8Array(await parts.arrayBuffer()),
      contentType: parts.headers.get("content-type"),
      query: "",
    },
  ];
}

test("a list is sent item by item in forms and in the query, each item of the type of its schema", async () => {
  const sent = [
    ["tags", "5"],
    ["counts", "1"],
    ["tags", '["a"]'],
    ["tags", ""],
    ["flags", "True"],
    ["counts", "-20"],
    ["points", '{"x":1.5}'],
    ["rows", "[1,2]"],
    ["rows", "[3]"],
    ["within", '{"children":[{}]}'],
  ] as const;
  const value = {
    ...{ tags: ["5", '["a"]', ""], counts: [1, -20], flags: [true], points: [{ x: 1.5 }] },
    ...{ rows: [[1, 2], [3]], within: [{ children: [{}] }] },
  };
  for (const request of await sentInEveryWay(sent.map(([...pair]) => pair))) {
    const input = readInput(LISTS, request);
    assert.deepEqual(checkInput(LISTS, input.value, input.parameters).input, value);
  }
});

test("a field that is no list is still given once, and no field comes in body and query", async () => {
  const twice = /`(?:one|unknown)` is given more than once\.$/;
  for (const name of ["one", "unknown"])
    for (const request of await sentInEveryWay([
      ["tags", "a"],
      [name, "[1]"],
      [name, "[2]"],
    ]))
      assert.throws(() => readInput(LISTS, request), twice);
  for (const request of (await sentInEveryWay([["tags", "a"]])).slice(1))
    assert.throws(
      () => readInput(LISTS, { ...request, query: "tags=b" }),
      /`tags` is given more than once\.$/,
    );
});

/** Fields that also take null, as Zod has them and as JSON Schema does. */
const NULLS = [
  {
    limit: z.optional(z.nullable(z.int())),
    flags: z.optional(z.readonly(z.nullable(z.array(z.boolean())))),
    note: z.optional(z.string()),
  },
  ...[
    (type: string, more: object = {}) => ({ type: [type, "null"], ...more }),
    (type: string, more: object = {}) => ({ oneOf: [{ type: "null" }, { type, ...more }] }),
    (type: string, more: object = {}) => ({ type, ...more, nullable: true }),
  ].map((or) =>
    inputOfFields(
      {
        limit: ownSchema({}, or("integer"), "request"),
        flags: ownSchema({}, or("array", { items: { type: "boolean" } }), "request"),
        note: { type: "string" },
      },
      [],
    ),
  ),
].map((input) => ownTool("nulls", defineTool({ ...BARE, input } as never)));

test("a field that may be null has its other type in forms, in the query and in arguments of a model", async () => {
  for (const tool of NULLS) {
    for (const request of await sentInEveryWay([
      ["limit", "5"],
      ["flags", "true"],
      ["flags", "False"],
    ]))
      assert.deepEqual(readInput(tool, request).value, { limit: 5, flags: [true, false] });
    const ofModel = (value: object) => checkInput(tool, inputOfModel(tool, value)).input;
    const meant = { limit: 5, flags: [true, false] };
    assert.deepEqual(ofModel({ limit: "5", flags: ["true", false] }), meant);
    assert.deepEqual(ofModel({ limit: "5", flags: '["true", false]' }), meant);
    // Null is a value of these fields, and no value of the last one.
    const nulls = { limit: null, flags: null };
    assert.deepEqual(ofModel({ ...nulls, note: null }), nulls);
  }
});

const LINK = z.object({
  value: z.int(),
  get next() {
    return z.optional(LINK);
  },
  get others() {
    return z.nullable(z.array(LINK));
  },
  later: z.optional(z.lazy(() => z.int())),
});

test("a field that contains itself is read and checked as any other", async () => {
  const tool = ownTool("links", defineTool({ ...BARE, input: { first: LINK } } as never));
  const first = { value: 1, next: { value: 2, others: null }, others: [], later: 3 };
  for (const request of await sentInEveryWay([["first", JSON.stringify(first)]]))
    assert.deepEqual(readInput(tool, request).value, { first });
  const ofModel = {
    first: { value: "1", next: { value: "2", others: null }, others: [], later: "3" },
  };
  assert.deepEqual(inputOfModel(tool, ofModel), { first });
  const wrong = { first: { value: 1, next: { value: "x", others: null }, others: null } };
  assert.throws(() => checkInput(tool, wrong), /^ApiError: `first\.next\.value` must be a whole/);
});

test("JSON in a field that nests too deep is a fault of the field", async () => {
  const deep = '{"x":'.repeat(100_000);
  const whole = `${deep}1${"}".repeat(100_000)}`;
  const sent = [
    ...(await sentInEveryWay([
      ["tags", "a"],
      ["one", whole],
    ])),
    requestOfModel({ tags: ["a"], one: whole }),
  ];
  for (const request of sent) {
    const input = readInput(LISTS, request);
    assert.throws(
      () => checkInput(LISTS, input.value, input.parameters),
      /`one` must be a JSON object; got "/,
    );
  }
});

test("an item of the wrong type is the fault of its field", async () => {
  for (const request of await sentInEveryWay([
    ["tags", "a"],
    ["counts", "1"],
    ["counts", "two"],
  ])) {
    const input = readInput(LISTS, request);
    assert.throws(() => checkInput(LISTS, input.value, input.parameters), /`counts\.1` /);
  }
});

const pieces = fc.constantFrom(
  ...["&", "=", "%", "+", "%2", "%C3%BC", "%ff", "%00", "{", "[", '"', "'", "--x", "\r\n", "--x--"],
  ...["text", "count", "markdown", "base64", "__proto__", "3", "true", "Zg==", "\ud800", "\ufeff"],
  ...['Content-Disposition: form-data; name="text"', '; filename="a"', "\r\n\r\n", "a".repeat(300)],
);
const bodies = fc.oneof(
  fc.array(pieces, { maxLength: 20 }).map((list) => Buffer.from(list.join(""))),
  fc.uint8Array({ maxLength: 60 }),
);
const types = fc.constantFrom(
  ...[FIELDS, `${FIELDS}; charset=utf-8`, "multipart/form-data; boundary=x", "multipart/form-data"],
  ...["text/plain", "application/json", "", "multipart/form-data; boundary=", null],
);

test("any bytes under any type are an input or an error of the client", () => {
  fc.assert(
    fc.property(fc.constantFrom(...TOOLS), types, bodies, (tool, contentType, body) => {
      try {
        const sent = readInput(tool, { body, contentType, query: "" });
        checkInput(tool, sent.value, sent.parameters, sent.hint);
      } catch (error) {
        assert.ok(error instanceof ApiError, String(error));
        assert.ok(error.status >= 400 && error.status < 500, error.message);
        assert.ok(error.message.length < 2_500, error.message);
      }
    }),
    { numRuns },
  );
});

test("a form in any pieces is the same parts or the same error as in one", () => {
  const read = (contentType: string, body: Buffer, cuts: readonly number[]) => {
    const parts: [string, boolean, string][] = [];
    try {
      const reader = new FormReader(contentType);
      let at = 0;
      for (const end of [
        ...cuts.map((cut) => cut % (body.length + 1)).sort((a, b) => a - b),
        body.length,
      ]) {
        for (const found of reader.push(body.subarray(at, end))) {
          if (!(found instanceof Uint8Array)) parts.push([found.name, found.isFile, ""]);
          else
            (parts.at(-1) as [string, boolean, string])[2] += Buffer.from(found).toString("latin1");
        }
        at = end;
      }
      reader.end();
      return parts;
    } catch (error) {
      assert.ok(error instanceof ApiError, String(error));
      return error.message;
    }
  };
  const part = fc.constantFrom(
    ...[
      "--x",
      "\r\n",
      "--x\r\n",
      "\r\n--x\r\n",
      "\r\n--x--",
      "-",
      "\r",
      "--",
      " ",
      "\r\n\r\n",
      "abc",
    ],
    ...[
      'Content-Disposition: form-data; name="a"\r\n\r\n',
      "Content-Disposition: form-data; name=b; filename=c",
    ],
    ...["--x\r\nContent-Disposition: form-data; name=d\r\n\r\n", "z".repeat(5_000)],
  );
  let [good, bad] = [0, 0];
  const runs = Math.min(numRuns, 1_000);
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 15 }),
      fc.array(fc.nat(), { maxLength: 8 }),
      (list, cuts) => {
        const body = Buffer.from(list.join(""));
        const type = "multipart/form-data; boundary=x";
        const whole = read(type, body, []);
        assert.deepEqual(read(type, body, cuts), whole);
        if (body.length < 500) assert.deepEqual(read(type, body, [...body.keys()]), whole);
        if (typeof whole === "string") bad += 1;
        else good += 1;
      },
    ),
    { numRuns: runs },
  );
  assert.ok(Math.min(good, bad) > runs / 50, `${good} forms and ${bad} errors`);
});
