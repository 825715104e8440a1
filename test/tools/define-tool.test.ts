import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as full from "zod";
import * as mini from "zod/mini";
import { inputSchema } from "#api/openapi/schemas.ts";
import { PRICE_CREDITS_MAX } from "#limits.ts";
import { checkInput, typedArguments, typedValue } from "#tools/check-input.ts";
import { defineTool, type Tool, type ToolDefinition } from "#tools/define-tool.ts";
import { forward } from "#tools/forward.ts";
import type { InputSchema } from "#tools/input-schema.ts";
import { nameFault, ownTool } from "#tools/own-tool.ts";
import { TOOLS } from "#tools/registry.ts";
import { fixedToolContext } from "../support/tool-context.ts";
import { errorOf } from "./run-tool.ts";

const four = { summary: "A tool.", input: {}, price: 1, effect: "none", run: () => ({}) } as const;
const withInput = (input: InputSchema) =>
  ownTool("sample", defineTool({ ...four, input } as ToolDefinition));

test("the five tools of the specification cost one credit a call", () => {
  assert.deepEqual(
    TOOLS.slice(0, 5).map(({ price }) => price),
    [1, 1, 1, 1, 1],
  );
});

test("four members and the effect make a tool; the rest has defaults", () => {
  const made = ownTool("word-count", defineTool({ ...four, input: { text: full.string() } }));
  const { name, title, description, body, bodyBytesMax, examples, timeLimitMs, isOwn } = made;
  assert.deepEqual(
    { name, title, description, body, bodyBytesMax, examples, timeLimitMs, isOwn },
    {
      ...{ name: "word-count", title: "Word count", description: "A tool.", body: "required" },
      ...{ bodyBytesMax: 1_048_576, examples: [], timeLimitMs: 10_000, isOwn: true },
    },
  );
});

test("a description without a full stop gets one, because sentences follow it", () => {
  const descriptionOf = (texts: object) =>
    ownTool("sample", defineTool({ ...four, ...texts } as never)).description;
  assert.equal(descriptionOf({ summary: "Acts on the world " }), "Acts on the world.");
  assert.equal(descriptionOf({ summary: "Is it one?" }), "Is it one?");
  assert.equal(descriptionOf({ description: "It asks" }), "It asks.");
});

test("a tool whose fields may all be left out needs no body", () => {
  assert.equal(withInput({ count: full.int().optional() }).body, "optional");
  assert.equal(withInput({}).body, "optional");
  assert.equal(withInput({ count: full.int() }).body, "required");
});

/** What is wrong with a definition. */
const faultsIn = (definition: object): string[] => {
  try {
    ownTool("sample", defineTool(definition as never));
  } catch (error) {
    return (error as Error).message.split("\n");
  }
  return [];
};

test("an author chooses whether a tool has a page", () => {
  assert.deepEqual(faultsIn({ ...four, browser: true }), []);
  assert.deepEqual(faultsIn({ ...four, browser: "yes" }), [
    '`browser` must be true or false; got "yes".',
  ]);
});

test("a file has media types and a largest size, and no other body beside it", () => {
  const file = { types: ["image/png", "image/svg+xml", "application/vnd.ms-excel"] };
  assert.deepEqual(faultsIn({ ...four, file }), []);
  const made = ownTool("sample", defineTool({ ...four, file }));
  assert.deepEqual(made.file, { ...file, bytesMax: 26_214_400 });
  assert.deepEqual(faultsIn({ ...four, file: { ...file, bytesMax: 25_000_000 } }), []);
  for (const types of [
    undefined,
    [],
    "image/png",
    ["image/*"],
    ["*/*"],
    ["Image/PNG"],
    ["a/b; c=d"],
    [1],
  ])
    assert.match(
      faultsIn({ ...four, file: { types } })[0] ?? "",
      /^`file\.types` must be a list of the media types/,
    );
  assert.match(faultsIn({ ...four, file: null })[0] ?? "", /^`file\.types` must be a list/);
  for (const type of ["multipart/form-data", "application/x-www-form-urlencoded"])
    assert.deepEqual(faultsIn({ ...four, file: { types: [type] } }), [
      "`file.types` must not have multipart/form-data or application/x-www-form-urlencoded, which are forms.",
    ]);
  for (const bytesMax of [0, -1, 1.5, 26_214_401, "5 MB"])
    assert.match(
      faultsIn({ ...four, file: { ...file, bytesMax } })[0] ?? "",
      /^`file\.bytesMax` must be a whole number from 1 to 26214400; got /,
    );
  assert.deepEqual(faultsIn({ ...four, file: { ...file, type: "image/png" }, browser: true }), [
    "`file.type` is unknown; a file has `types` and `bytesMax`.",
    "A tool with `file` cannot have `browser`; leave it out.",
  ]);
  assert.deepEqual(faultsIn({ ...four, file, browser: false }), []);
  for (const input of [
    { file: full.string() },
    mini.object({ file: mini.string() }),
    standard({ type: "object", properties: { file: { type: "string" } } }),
  ]) {
    assert.match(String(faultsIn({ ...four, file, input })), /^`input` must not have the field/);
    assert.deepEqual(faultsIn({ ...four, input }), []);
  }
  assert.throws(
    () => forward({ summary: "", input: {}, price: 1, url: "https://example.com/", file } as never),
    /forwards calls takes no `file`/,
  );
});

test("run gets a file if the definition has one, and else none, also by its type", async () => {
  const types = ["text/plain"];
  const taking = defineTool({
    ...{ summary: "Reads.", input: {}, price: 1, file: { types } },
    run: async (_, { file }) => ({ text: await file.text(), path: file.path }),
  });
  const file = Object.assign(new Blob(["hello"], { type: "text/plain" }), { path: "hello.txt" });
  assert.deepEqual(await taking.run({}, { file }), { text: "hello", path: "hello.txt" });
  defineTool({
    ...{ summary: "Reads.", input: {}, price: 1 },
    run: (_, { file: none }) => {
      const nothing: undefined = none;
      return { nothing };
    },
  });
});

test("a price is a whole number of credits from 0 to 1,000,000", () => {
  for (const price of [0, 1, 7, PRICE_CREDITS_MAX])
    assert.deepEqual(faultsIn({ ...four, price }), []);
  for (const price of [-1, 0.5, 1_000_001, Number.NaN, Number.POSITIVE_INFINITY, true]) {
    assert.deepEqual(faultsIn({ ...four, price }), [
      `\`price\` must be a whole number of credits from 0 to 1000000, or a function of the input; got ${price}.`,
    ]);
  }
});

test("a price that is a function has a maximum, and only such a price", () => {
  const price = () => 1;
  for (const priceMax of [0, 7, PRICE_CREDITS_MAX])
    assert.deepEqual(faultsIn({ ...four, price, priceMax }), []);
  for (const priceMax of [undefined, -1, 0.5, 1_000_001, "7"])
    assert.match(
      String(faultsIn({ ...four, price, priceMax })),
      /^`priceMax` must be the most that a call costs, .*; got (nothing|-1|0\.5|1000001|"7")\.$/,
    );
  assert.deepEqual(faultsIn({ ...four, priceMax: 7 }), [
    "`priceMax` is only for a `price` that is a function; leave it out. It is 7.",
  ]);
  const made = ownTool("sample", defineTool({ ...four, price, priceMax: 7 } as never));
  assert.deepEqual([made.price, made.priceOf?.({}), "priceMax" in made], [7, 1, false]);
});

test("everything that is wrong with a definition is told at once", () => {
  const wrong = {
    ...{ summary: " ", inputs: {}, price: "1", title: 7, examples: [{ name: "a" }] },
    operation: "count words",
    ...{ timeLimitMs: 0, bodyBytesMax: 1e9, name: "other", effect: "write" },
  };
  assert.deepEqual(
    faultsIn(wrong).map((line) => /^`\w+`/.exec(line)?.[0]),
    [
      ...["`inputs`", "`name`", "`summary`", "`input`", "`price`", "`effect`", "`title`"],
      ...["`operation`", "`examples`", "`run`", "`timeLimitMs`", "`bodyBytesMax`"],
    ],
  );
  assert.ok(faultsIn(wrong).includes("`name` is the name of the file; leave it out."));
  assert.ok(faultsIn(null as never).length > 3);
});

test("a secret and a limit are those of a field, and any other name is a fault", () => {
  const input = { text: full.string(), password: full.string() };
  const members = (secretFields: unknown, fieldBytesMax: unknown) =>
    faultsIn({ ...four, input, secretFields, fieldBytesMax } as never);
  assert.deepEqual(members(["password"], { text: 10 }), []);
  assert.deepEqual(members(["pasword"], { txt: 10 }), [
    "`secretFields` has `pasword`, which is not a field of `input`; did you mean `password`?",
    "`fieldBytesMax` has `txt`, which is not a field of `input`; did you mean `text`?",
  ]);
  for (const wrong of ["password", [1]])
    assert.match(members(wrong, {})[0] ?? "", /a list of names/);
  for (const wrong of [7, { text: "10 KB" }, { text: 0 }])
    assert.match(members([], wrong)[0] ?? "", /^`fieldBytesMax` must be an object of fields/);
  const open = { ...four, input: full.looseObject({}), secretFields: ["token"] };
  assert.deepEqual(faultsIn(open as never), []);
});

test("a name that resembles no member is told with those that the documentation has", () => {
  const documented = (page: string) =>
    [
      ...readFileSync(page, "utf8").matchAll(/^\| (`\w+`(?:, `\w+`)*)(?: \(required\))? \| /gm),
    ].flatMap(([, names = ""]) => names.match(/\w+/g) ?? []);
  const listed = (fault: string) => / the members are (.+)\.$/.exec(fault)?.[1]?.split(", ") ?? [];
  const members = listed(faultsIn({ ...four, colour: 1 })[0] ?? "");
  assert.ok(members.length > 15);
  const own = documented("docs/own-tools.md");
  assert.deepEqual(own.slice(own.indexOf("summary"), own.indexOf("operation") + 1), members);
  const wrap = { summary: "Forwards.", input: {}, price: 1, url: "https://example.com/" };
  const faultOf = (more: object) => {
    try {
      return String(forward({ ...wrap, ...more } as never));
    } catch (error) {
      return (error as Error).message;
    }
  };
  const forwarded = listed(faultOf({ colour: 1 }));
  const others = ["url", "method", "headers", "query", "responseBytesMax"];
  const decided = ["run", "hosts", "passThrough", "file"];
  assert.deepEqual(forwarded, [...others, ...members.filter((name) => !decided.includes(name))]);
  assert.match(
    faultOf({ metod: "GET" }),
    /^`metod` is not a member of .+; did you mean `method`\?$/,
  );
  assert.match(
    faultOf({ run: () => ({}) }),
    /^`run` is not a member of a tool that forwards calls;/,
  );
});

test("a tool that does not say what it does is paid before it runs, and only an act says what a crash costs", () => {
  const effectOf = (effect?: string) =>
    ownTool("count", defineTool({ ...four, effect } as never)).effect;
  assert.deepEqual([effectOf(), effectOf("none"), effectOf("act")], ["read", "none", "act"]);
  assert.deepEqual(faultsIn({ ...four, effect: "act", onCrash: "charge" }), []);
  assert.match(String(faultsIn({ ...four, onCrash: "charge" })), /^`onCrash` must be/);
});

/** A library of schemas that knows Standard Schema: an object with a text of at least two characters. */
const standard = (jsonSchema?: object) =>
  ({
    "~standard": {
      ...{ version: 1, vendor: "sample" },
      validate(value: unknown) {
        const { text } = (value ?? {}) as { text?: unknown };
        return typeof text === "string" && text.length > 1
          ? { value: { text: text.toUpperCase() } }
          : { issues: [{ message: "must have two characters", path: [{ key: "text" }] }] };
      },
      ...(jsonSchema && { jsonSchema: { input: () => jsonSchema } }),
    },
  }) as never;

const faultsOf = (tool: Tool, value: unknown) =>
  errorOf(() => checkInput(tool, value)).details.errors?.map(
    ({ pointer, detail }) => `${pointer} ${detail}`,
  );

test("an input is an object of fields, or a schema of Zod, full or mini: unknown fields are faults", () => {
  for (const input of [
    { text: full.string() },
    { text: mini.string() },
    full.object({ text: full.string() }),
    full.strictObject({ text: full.string() }),
    mini.object({ text: mini.string() }),
  ]) {
    const tool = withInput(input);
    assert.deepEqual(checkInput(tool, { text: "a" }).input, { text: "a" });
    assert.deepEqual(faultsOf(tool, { text: 1, txt: 2 }), [
      "/text must be a string; got 1",
      "/txt unknown field; did you mean `text`?",
    ]);
  }
  const loose = withInput(full.looseObject({ text: full.string() }));
  assert.deepEqual(checkInput(loose, { text: "a", more: 1 }).input, { text: "a", more: 1 });
});

test("an unknown field is a fault, whatever stands around its object", () => {
  const circle = full.object({ kind: full.literal("circle"), radius: full.number() });
  const square = full.object({ kind: full.literal("square"), side: full.number() });
  const right = { kind: "circle", radius: 1 };
  for (const input of [
    full.discriminatedUnion("kind", [circle, square]),
    circle.transform(({ radius }) => radius),
    full.preprocess((value) => value, circle),
    full.union([circle, square]),
    ...[circle.optional(), circle.nullable(), circle.readonly(), circle.default(right as never)],
  ]) {
    const tool = withInput(input);
    checkInput(tool, right);
    assert.deepEqual(faultsOf(tool, { ...right, radus: 2 }), [
      "/radus unknown field; did you mean `radius`?",
    ]);
  }
});

test("a text of a form stands for the type that its field has, with literals, enumerations and forms of several kinds", () => {
  const side = full.object({ side: full.number() });
  const tool = withInput({
    five: full.literal("5"),
    yes: full.literal(true),
    level: full.enum({ Low: 1, High: 2 }),
    tags: full.record(full.string(), full.string()),
    shape: full.union([side, full.object({ radius: full.number() })]),
    any: full.union([full.string(), full.number()]),
    none: full.union([full.number(), full.null()]),
    other: full.union([full.number(), full.boolean()]),
    pair: full.tuple([full.string(), full.number()]),
  });
  for (const [name, text, value] of [
    ["five", "5", "5"],
    ["yes", "true", true],
    ["level", "2", 2],
    ["tags", '{"a":"b"}', { a: "b" }],
    ["shape", '{"side":2}', { side: 2 }],
    ["any", "5", "5"],
    ["none", "5", 5],
    ["other", "5", 5],
    ["other", "true", true],
    ["other", "x", "x"],
    ["pair", '["a",5]', ["a", 5]],
  ] as const)
    assert.deepEqual(typedValue(tool, name, text), value, name);
});

test("so it does where the whole input has one of several forms, and the nearest of their fields is suggested", () => {
  const tool = withInput(
    full.discriminatedUnion("kind", [
      full.object({ kind: full.literal("circle"), radius: full.number(), size: full.number() }),
      full.object({ kind: full.literal("square"), side: full.number(), size: full.string() }),
    ]),
  );
  for (const [name, text, value] of [
    ["kind", "circle", "circle"],
    ["radius", "2", 2],
    ["size", "2", "2"],
  ] as const)
    assert.deepEqual(typedValue(tool, name, text), value, name);
  assert.deepEqual(faultsOf(tool, { kind: "square", side: 1, size: "a", sid: 2 }), [
    "/sid unknown field; did you mean `side`?",
  ]);
});

test("null stays a value of a field that takes it in any of its forms", () => {
  const text = full.string().nullable();
  const tool = withInput(
    full.union([
      full.object({ a: text, b: text.optional() }),
      full.object({ a: text, c: full.union([full.number(), text]).optional() }),
    ]),
  );
  const nested = withInput({ d: full.union([full.string(), text]).optional(), e: full.string() });
  for (const [made, value] of [
    [tool, { a: null, b: null }],
    [tool, { a: null, c: null }],
    [nested, { d: null, e: null }],
  ] as const)
    assert.deepEqual(typedArguments(made, value), value);
});

test("a message names no bound and no type that the field does not have", () => {
  const tool = withInput({
    whole: full.number().int().min(1).max(5).optional(),
    part: full.float32().min(0).max(1).optional(),
    more: full.number().positive().max(10).optional(),
    level: full.enum({ Low: 1, High: 2 }).optional(),
    mode: full.literal(["a", "b"]).optional(),
    yes: full.stringbool({ truthy: ["yes"], falsy: ["no"] }).optional(),
  });
  const wrong = { whole: 2.5, part: "x", more: 0, level: 3, mode: 7, yes: "x" };
  assert.deepEqual(faultsOf(tool, wrong), [
    "/whole must be a whole number from 1 to 5; got 2.5",
    '/part must be a number from 0 to 1; got "x"',
    "/more must be more than 0",
    "/level must be one of `1`, `2`; got 3",
    "/mode must be one of `a`, `b`; got 7",
    "/yes must be one of `yes`, `no`",
  ]);
});

test("a list with a fault in each item does not make a long response", () => {
  const tool = withInput(full.array(full.number()));
  const found = errorOf(() =>
    checkInput(
      tool,
      Array.from({ length: 10_000 }, () => "x"),
    ),
  );
  assert.equal(found.details.errors?.length, 21);
  assert.deepEqual(found.details.errors?.at(-1), { pointer: "", detail: "has 9,980 more faults" });
  const items = withInput(full.array(full.strictObject({})));
  const mixed = errorOf(() =>
    checkInput(
      items,
      Array.from({ length: 50 }, () => ({ a: 1, b: 2 })),
    ),
  );
  assert.equal(mixed.details.errors?.length, 21);
  assert.equal(mixed.details.errors?.at(-1)?.detail, "has 80 more faults");
  const record = withInput(full.record(full.string(), full.number()));
  const long = errorOf(() => checkInput(record, { [`k\n${"k".repeat(100_000)}`]: "x" }));
  assert.ok(long.message.length < 100, long.message);
  assert.equal(long.details.errors?.[0]?.pointer, "");
});

test("what the schema of a field cannot tell, the issue tells in the same words", () => {
  const tool = withInput({
    mail: full.email().optional(),
    short: full.string().max(3).optional(),
    count: full.int().min(2).optional(),
    list: full.array(full.string()).min(1).optional(),
    either: full.union([full.string(), full.number()]).optional(),
    even: full
      .int()
      .refine((value) => value % 2 === 0, "must be even")
      .optional(),
  });
  assert.deepEqual(
    faultsOf(tool, { mail: "x", short: "four", count: 1, list: [], either: true, even: 3 }),
    [
      "/mail must be an email address",
      "/short must have at most 3 characters",
      "/count must be at least 2",
      "/list must not be empty",
      "/either must be a string or a number",
      "/even must be even",
    ],
  );
  assert.deepEqual(faultsOf(tool, { list: 7 }), ["/list must be an array; got 7"]);
  assert.deepEqual(faultsOf(tool, { list: ["a", 7] }), ["/list/1 must be a string; got 7"]);
});

test("the author's own messages are kept, for the whole input too", () => {
  const fields = full.object({ a: full.string().min(3, "is too short").optional() });
  const tool = withInput(fields.refine((input) => input.a !== "xyz", "must not have xyz"));
  assert.deepEqual(faultsOf(tool, { a: "x" }), ["/a is too short"]);
  assert.deepEqual(faultsOf(tool, { a: "xyz" }), [" must not have xyz"]);
  const sentence = withInput({ a: full.string().refine(() => false, "PIN is wrong.") });
  assert.equal(errorOf(() => checkInput(sentence, { a: "x" })).message, "`a`: PIN is wrong.");
});

test("an empty body is told what it must be, whatever the schema says of an empty object", () => {
  for (const [input, message] of [
    [full.record(full.string(), full.string()), "The body is empty; it must be a JSON object."],
    [
      full.union([full.string(), full.number()]),
      "The body is empty; it must be a string or a number.",
    ],
    [{ a: full.string() }, "The body is empty: `a` is required."],
    [full.array(full.string()).nullable(), "The body is empty; it must be an array."],
    [
      full.object({ a: full.string().optional() }).refine(() => false, "Give a PIN."),
      "The body is empty: Give a PIN.",
    ],
  ] as const)
    assert.equal(errorOf(() => checkInput(withInput(input), undefined)).message, message);
});

test("an unknown field of an item names the fields that items have", () => {
  const item = full.strictObject({ name: full.string() });
  const tool = withInput({ list: full.array(item), any: full.record(full.string(), item) });
  const given = { list: [{ name: "a", more: 1 }], any: { x: { name: "a", other: 1 } } };
  assert.deepEqual(faultsOf(tool, given), [
    "/list/0/more unknown field; the fields are `name`",
    "/any/x/other unknown field",
  ]);
});

test("a schema that follows Standard Schema checks and changes the input", () => {
  const json = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
  const tool = withInput(standard(json));
  assert.deepEqual(checkInput(tool, { text: "ab" }).input, { text: "AB" });
  assert.deepEqual(faultsOf(tool, { text: "a" }), ["/text must have two characters"]);
  const { description: _, ...described } = inputSchema(tool);
  assert.deepEqual(described, json);
});

test("one that has no JSON Schema is described as any object", () => {
  const tool = withInput(standard());
  assert.deepEqual(checkInput(tool, { text: "ab" }).input, { text: "AB" });
  assert.equal(inputSchema(tool).type, "object");
  assert.equal(inputSchema(tool).properties, undefined);
});

test("checks that are asynchronous are a fault of the tool", () => {
  const tool = withInput({
    "~standard": { validate: async (value: unknown) => ({ value }) },
  } as never);
  assert.throws(() => checkInput(tool, {}), /must be synchronous/);
});

test("the response is what run returns, behind ok; an output that its schema forbids is a fault", async () => {
  const run = async (output: unknown, members: object = {}) =>
    ownTool("sample", defineTool({ ...four, ...members, run: () => output })).run(
      {},
      fixedToolContext(),
    );
  assert.equal(JSON.stringify(await run({ words: 3 })), '{"ok":true,"words":3}');
  const words = { output: { words: full.int() } };
  assert.equal(JSON.stringify(await run({ words: 3 }, words)), '{"ok":true,"words":3}');
  await assert.rejects(run({ words: "3" }, words), /run returned what `output` forbids: words: /);
  await assert.rejects(run({ words: 3, more: 1 }, words), /forbids/);
  for (const output of [undefined, null, 7, "text", [], { ok: false }, { words: 3, ok: "yes" }])
    await assert.rejects(run(output), TypeError);
  assert.equal(JSON.stringify(await run({ words: 3, ok: true })), '{"ok":true,"words":3}');
});

test("an example has the response of a call, whether its author has written `ok` or what run returns", () => {
  const responseIn = (response: unknown, more: object = {}) =>
    ownTool(
      "sample",
      defineTool({ ...four, ...more, examples: [{ name: "one", request: {}, response }] } as never),
    ).examples[0]?.response;
  for (const response of [{ words: 3 }, { ok: true, words: 3 }])
    assert.equal(JSON.stringify(responseIn(response)), '{"ok":true,"words":3}');
  assert.deepEqual(responseIn({ words: 3 }, { passThrough: true }), { words: 3 });
});

test("a name has lowercase letters, digits and hyphens, and is not that of another endpoint", () => {
  for (const name of ["a", "word-count", "sha3-256", "2fa"])
    assert.equal(nameFault(name), undefined);
  for (const name of ["", "-a", "a-", "a--b", "Word", "a_b", "a.b", "ä", "account"])
    assert.notEqual(nameFault(name), undefined, name);
});

test("what defineTool did not make is no tool", () => {
  for (const exported of [undefined, null, four, () => four])
    assert.throws(() => ownTool("sample", exported), /its default export must be a tool/);
});

test("run is typed by the input, and checked by the output and the effect", async () => {
  const shape = defineTool({
    summary: "Counts the words of a text.",
    input: { text: full.string(), count: full.int().optional(), mode: full.enum(["a", "b"]) },
    price: 1,
    effect: "none",
    run({ text, count, mode }) {
      const typed: [string, number | undefined, "a" | "b"] = [text, count, mode];
      // @ts-expect-error: a text is no number
      const wrong: number = text;
      return { words: typed.length, wrong };
    },
  });
  assert.deepEqual(await shape.run({ text: "a", mode: "a" }), { words: 3, wrong: "a" });
  defineTool({
    ...four,
    input: mini.object({ text: mini.string() }),
    output: full.object({ words: full.int() }),
    run: ({ text }: { text: string }) => ({ words: text.length }),
  });
  defineTool({
    ...{ summary: "A tool.", input: {}, price: 1, effect: "none" },
    output: full.object({ words: full.int() }),
    // @ts-expect-error: a text is no number
    run: () => ({ words: "a" }),
  });
  defineTool({ summary: "A tool.", input: {}, price: 1, run: (_, { settle }) => settle(1) });
  defineTool({
    summary: "A tool.",
    input: { text: full.string() },
    price: ({ text }) => text.length,
    priceMax: 10,
    run: ({ text }) => ({ text }),
  });
  // @ts-expect-error: there is no such effect
  defineTool({ summary: "A tool.", input: {}, price: 1, effect: "write", run: () => ({}) });
});
