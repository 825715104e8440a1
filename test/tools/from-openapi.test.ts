import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describeOwnTool } from "#api/openapi/tool-description.ts";
import { requestOf as sampleRequest } from "#site/first-call.ts";
import { checkInput } from "#tools/check-input.ts";
import type { OwnToolContext, ToolDefinition } from "#tools/define-tool.ts";
import { type OpenApiOptions, toolsOf } from "#tools/from-openapi.ts";
import { ownTool } from "#tools/own-tool.ts";
import { InvalidInput } from "#tools/run-fault.ts";
import { fixedToolContext } from "../support/tool-context.ts";
import { errorOf } from "./run-tool.ts";

/** Operations of OpenAPI documents as tools: their names, the check of their input, the request that a call becomes, and what cannot be one. */

const PETS = {
  openapi: "3.0.3",
  info: { title: "Pets", version: "1" },
  servers: [{ url: "https://{region}.example.com/v1/", variables: { region: { default: "eu" } } }],
  security: [{ token: [] }],
  paths: {
    "/pets": {
      get: {
        operationId: "listPets",
        summary: "Lists pets.",
        security: [],
        parameters: [
          { name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 100 } },
          {
            name: "tags",
            in: "query",
            explode: false,
            schema: { type: "array", items: { type: "string" } },
          },
          { name: "filter", in: "query", style: "deepObject", schema: { type: "object" } },
          { $ref: "#/components/parameters/Trace" },
        ],
        responses: {
          200: {
            content: {
              "application/json": {
                schema: { type: "array", items: { $ref: "#/components/schemas/Pet" } },
              },
            },
          },
        },
      },
      post: {
        description: "Adds a pet.\nAt once.",
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } },
        },
        responses: { 201: { description: "Done." } },
      },
    },
    "/pets/{petId}": {
      parameters: [{ name: "petId", in: "path", required: true, schema: { type: "string" } }],
      put: {
        operationId: "account",
        requestBody: {
          content: { "application/json": { schema: { type: "array", items: { type: "string" } } } },
        },
        responses: {},
      },
      patch: {
        operationId: "uploadImage",
        requestBody: { required: true, content: { "image/png": {} } },
        responses: {},
      },
      delete: { operationId: "deletePet", security: [{ basic: [] }], responses: {} },
    },
    "/styled/{id}": {
      get: {
        operationId: "showStyled",
        parameters: [{ name: "id", in: "path", required: true, style: "matrix", schema: {} }],
        responses: {},
      },
    },
    "/secured/{part}": {
      get: { operationId: "showByQuery", security: [{ inQuery: [], custom: [] }], responses: {} },
      put: { operationId: "showUnknown", security: [{ other: [] }], responses: {} },
      patch: { operationId: "showCertified", security: [{ certificate: [] }], responses: {} },
    },
    "/files": {
      post: {
        operationId: "sendFiles",
        requestBody: {
          required: true,
          content: {
            "multipart/form-data": {
              schema: {
                type: "object",
                required: ["file"],
                properties: {
                  file: { type: "string", format: "binary", description: "A picture." },
                  more: { type: "array", items: { type: "string", format: "binary" } },
                  about: { type: "object" },
                  tags: { type: "array", items: { type: "string" } },
                },
              },
            },
          },
        },
        responses: {},
      },
      put: {
        operationId: "sendText",
        requestBody: { content: { "text/csv": { schema: { type: "string" } } } },
        responses: {},
      },
      patch: {
        operationId: "sendPatch",
        requestBody: {
          content: { "application/merge-patch+json": { schema: { type: "object" } } },
        },
        responses: {},
      },
      delete: {
        operationId: "sendOpenForm",
        requestBody: { content: { "application/x-www-form-urlencoded": { schema: {} } } },
        responses: {},
      },
    },
    "/forms": {
      post: {
        operationId: "sendForm",
        servers: [{ url: "/relative" }],
        requestBody: {
          content: {
            "application/x-www-form-urlencoded": {
              schema: { properties: { a: { type: "object" }, b: { type: "string" } } },
            },
          },
        },
        responses: {},
      },
    },
  },
  components: {
    parameters: { Trace: { name: "X-Trace", in: "header", schema: { type: "string" } } },
    schemas: {
      Pet: {
        type: "object",
        required: ["id", "name"],
        properties: {
          id: { type: "integer", readOnly: true },
          name: { type: "string", minLength: 1, description: "What it is called." },
          age: { type: "number", minimum: 0, exclusiveMinimum: true, nullable: true },
          kind: { type: "string", enum: ["cat", "dog"], default: "cat" },
          parent: { $ref: "#/components/schemas/Pet" },
        },
      },
    },
    securitySchemes: {
      token: { type: "apiKey", in: "header", name: "X-Key" },
      basic: { type: "http", scheme: "basic" },
      inQuery: { type: "apiKey", in: "query", name: "key" },
      custom: { type: "http", scheme: "Token" },
      certificate: { type: "mutualTLS" },
    },
  },
};

const made = (prices: Record<string, number>, more: Partial<OpenApiOptions> = {}) =>
  Object.fromEntries(
    Object.entries(toolsOf(PETS, { prices, security: { token: "PETS_KEY" }, ...more })).map(
      ([name, definition]) => [name, ownTool(name, definition)],
    ),
  );

/** The tool of a document with one operation. */
function toolAt(
  method: "GET" | "POST",
  { path = "/a", ...operation }: { path?: string; [member: string]: unknown },
  more: object = {},
  options: Partial<OpenApiOptions> = {},
): ToolDefinition {
  const document = {
    ...{ openapi: "3.1.0", servers: [{ url: "https://example.com" }] },
    paths: { [path]: { [method.toLowerCase()]: operation } },
    ...more,
  };
  const prices = { [`${method} ${path}`]: 1 };
  const [tool] = Object.values(toolsOf(document, { prices, ...options }));
  assert.ok(tool);
  return tool;
}

/** The request of a call of such a tool, without its method. */
async function requestAt(input: object, ...made: Parameters<typeof toolAt>) {
  const [, url, headers, body] = (await requestOf(ownTool("a", toolAt(...made)), input)) as [
    string,
    string,
    Record<string, string>,
    unknown,
  ];
  return { url: url.replace("https://example.com", ""), headers, body };
}

const jsonBody = (schema: object, more: object = {}) => ({
  requestBody: { content: { "application/json": { schema } }, ...more },
});

/** The request that a call becomes. */
async function requestOf(tool: ReturnType<typeof ownTool> | undefined, input: object) {
  assert.ok(tool);
  const checked = tool.input.safeParse(input);
  assert.ok(checked.success, JSON.stringify(checked.error?.issues));
  let sent: unknown;
  const context: Partial<OwnToolContext> = {
    ...fixedToolContext(),
    secrets: { PETS_KEY: "k1", PETS_LOGIN: "user:pass", QUERY_KEY: "a b&c", LOGIN: "ü:€" },
    async fetch(to, init) {
      const { method, headers, body } = init ?? {};
      const { "accept-encoding": _, ...named } = Object.fromEntries(new Headers(headers));
      sent = [method, String(to), named, body];
      return Response.json([]);
    },
  };
  await tool.run(checked.data, context as OwnToolContext);
  return sent;
}

test("an operation with a price is a tool, named by its id or by method and path", () => {
  const tools = made({ listPets: 1, "POST /pets": 3, "PUT /pets/{petId}": 2 });
  assert.deepEqual(
    Object.values(tools).map(({ name, summary, price, effect, hosts }) => [
      name,
      summary,
      price,
      effect,
      hosts,
    ]),
    [
      ["list-pets", "Lists pets.", 1, "read", ["eu.example.com"]],
      ["post-pets", "Adds a pet.", 3, "act", ["eu.example.com"]],
      ["put-pets-pet-id", "PUT /pets/{petId}", 2, "act", ["eu.example.com"]],
    ],
  );
  assert.deepEqual(tools["list-pets"]?.secrets, []);
  assert.deepEqual(tools["post-pets"]?.secrets, ["PETS_KEY"]);
});

test("parameters go where the document says, and the other fields are the body", async () => {
  const tools = made(
    { listPets: 1, "POST /pets": 3, account: 2, deletePet: 1 },
    { security: { token: "PETS_KEY", basic: "PETS_LOGIN" } },
  );
  assert.deepEqual(
    await requestOf(tools["list-pets"], {
      limit: 5,
      tags: ["a", "b"],
      filter: { k: 1 },
      "X-Trace": "t",
    }),
    [
      "GET",
      "https://eu.example.com/v1/pets?limit=5&tags=a,b&filter%5Bk%5D=1",
      { "x-trace": "t" },
      null,
    ],
  );
  assert.deepEqual(await requestOf(tools["post-pets"], { name: "Ada", parent: { name: 1 } }), [
    ...["POST", "https://eu.example.com/v1/pets"],
    { "content-type": "application/json", "x-key": "k1" },
    '{"name":"Ada","parent":{"name":1}}',
  ]);
  assert.deepEqual(await requestOf(tools["put-pets-pet-id"], { petId: "a/b", body: ["x"] }), [
    ...["PUT", "https://eu.example.com/v1/pets/a%2Fb"],
    { "content-type": "application/json", "x-key": "k1" },
    '["x"]',
  ]);
  assert.deepEqual(await requestOf(tools["delete-pet"], { petId: "1" }), [
    ...["DELETE", "https://eu.example.com/v1/pets/1"],
    { authorization: `Basic ${btoa("user:pass")}` },
    null,
  ]);
});

test("a field may have the name of a member that every object has", async () => {
  const schema = { type: "string" };
  const query = toolAt("GET", { parameters: [{ name: "constructor", in: "query", schema }] });
  for (const [input, url] of [
    [{}, "https://example.com/a"],
    [{ constructor: "mclaren" }, "https://example.com/a?constructor=mclaren"],
  ] as const)
    assert.equal(((await requestOf(ownTool("a", query), input)) as string[])[1], url);
  const content = {
    "application/json": { schema: { type: "object", properties: { constructor: schema } } },
  };
  const body = toolAt("POST", { requestBody: { content } });
  const [, , headers, sent] = (await requestOf(ownTool("a", body), {
    constructor: "mclaren",
  })) as [string, string, object, string];
  assert.deepEqual([Object.keys(headers), sent], [["content-type"], '{"constructor":"mclaren"}']);
});

test("a form is sent as a form", async () => {
  const tools = made({ sendForm: 1 }, { url: "http://127.0.0.1:9000" });
  assert.deepEqual(await requestOf(tools["send-form"], { a: { b: [1] }, b: "x y" }), [
    ...["POST", "http://127.0.0.1:9000/forms"],
    { "content-type": "application/x-www-form-urlencoded", "x-key": "k1" },
    "a%5Bb%5D%5B0%5D=1&b=x%20y",
  ]);
});

test("a key goes into the query, and another scheme of HTTP before its value", async () => {
  const security = { inQuery: "QUERY_KEY", custom: "PETS_KEY" };
  const { "show-by-query": tool } = made({ showByQuery: 1 }, { security });
  assert.deepEqual(tool?.secrets, ["QUERY_KEY", "PETS_KEY"]);
  assert.deepEqual(await requestOf(tool, { part: "x" }), [
    ...["GET", "https://eu.example.com/v1/secured/x?key=a%20b%26c"],
    { authorization: "Token k1" },
    null,
  ]);
});

test("a form with parts has the files that come in base64, and its other fields", async () => {
  const { "send-files": tool } = made({ sendFiles: 1 });
  const input = { file: "iVBORw==", more: ["AA==", "AQI="], about: { n: 1 }, tags: ["a", "b"] };
  const [, , headers, body] = (await requestOf(tool, input)) as [string, string, object, FormData];
  assert.deepEqual(headers, { "x-key": "k1" });
  const parts = await Promise.all(
    [...body].map(async ([name, value]) =>
      typeof value === "string"
        ? [name, value]
        : [name, value.name, value.type, [...new Uint8Array(await value.arrayBuffer())]],
    ),
  );
  assert.deepEqual(parts, [
    ["file", "file", "", [137, 80, 78, 71]],
    ["more", "more", "", [0]],
    ["more", "more", "", [1, 2]],
    ["about", "blob", "application/json", [...Buffer.from('{"n":1}')]],
    ["tags", "a"],
    ["tags", "b"],
  ]);
  assert.ok(tool);
  const { properties } = describeOwnTool(tool).inputSchema;
  assert.deepEqual(properties?.["file"], {
    ...{ type: "string", contentEncoding: "base64", description: "A picture. (base64)" },
  });
});

test("a body of another type is a text, or its bytes in base64, and is sent as that type", async () => {
  const tools = made({ sendText: 1, uploadImage: 1, sendPatch: 1, sendOpenForm: 1 });
  const bodyOf = async (name: string, input: object) => {
    const [, , headers, body] = (await requestOf(tools[name], input)) as [
      string,
      string,
      object,
      unknown,
    ];
    return [(headers as Record<string, string>)["content-type"], body];
  };
  assert.deepEqual(await bodyOf("send-text", { body: "a,b" }), ["text/csv", "a,b"]);
  assert.deepEqual(await bodyOf("upload-image", { petId: "1", body: "AQI=" }), [
    ...["image/png", new Uint8Array([1, 2])],
  ]);
  assert.deepEqual(await bodyOf("send-patch", { body: {} }), [
    "application/merge-patch+json",
    "{}",
  ]);
  assert.deepEqual(await bodyOf("send-open-form", { body: { a: 1 } }), [
    ...["application/x-www-form-urlencoded", "a=1"],
  ]);
});

test("an open form whose type has parameters is sent as a form too", async () => {
  const type = "application/x-www-form-urlencoded; charset=utf-8";
  const tool = toolAt("POST", { requestBody: { content: { [type]: { schema: {} } } } });
  assert.deepEqual(await requestOf(ownTool("a", tool), { body: { a: 1 } }), [
    ...["POST", "https://example.com/a", { "content-type": type }, "a=1"],
  ]);
});

test("references lead through others, and one that leads to itself is told", () => {
  const toolOf = (schemas: object, reference: string) => {
    const content = { "application/json": { schema: { $ref: reference } } };
    return toolAt("POST", { requestBody: { content } }, { components: { schemas } });
  };
  const schemas = {
    A: { $ref: "#/components/schemas/B" },
    B: { properties: { n: { type: "integer" } } },
  };
  const tool = toolOf(schemas, "#/components/schemas/A/properties/n");
  const { properties } = describeOwnTool(ownTool("a", tool)).inputSchema;
  assert.equal(properties?.["body"]?.type, "integer");
  assert.throws(
    () => toolOf({ A: { $ref: "#/components/schemas/A" } }, "#/components/schemas/A"),
    /refers to #\/components\/schemas\/A, which refers to itself/,
  );
});

test("the schemas of the document are those of the input, without what only responses have", () => {
  const tool = made({ "POST /pets": 3 })["post-pets"];
  assert.ok(tool);
  const { inputSchema, outputSchema } = describeOwnTool(tool);
  assert.deepEqual(inputSchema, {
    type: "object",
    properties: {
      name: { type: "string", minLength: 1, description: "What it is called." },
      age: { anyOf: [{ type: "number", exclusiveMinimum: 0 }, { type: "null" }] },
      kind: { type: "string", enum: ["cat", "dog"], default: "cat" },
      parent: {},
    },
    required: ["name"],
    additionalProperties: false,
  });
  assert.equal(outputSchema.description, "The response of the service behind the tool.");
  const messageOf = (value: unknown) => errorOf(() => checkInput(tool, value)).message;
  assert.equal(messageOf({}), "`name` is required.");
  assert.ok(checkInput(tool, { name: "a", age: null }));
  assert.match(
    messageOf({ name: "", aged: 0, kind: "cow", color: 1 }),
    /^`aged`: unknown field; did you mean `age`\? `color`: unknown field; the fields are `name`, `age`, `kind`, `parent`\. `name` .+ `kind` /,
  );
});

const PETS_OF_TODAY = {
  Seen: { type: "string", readOnly: true },
  Pet: {
    type: "object",
    required: ["id", "seen", "name", "secret"],
    properties: {
      id: { type: "integer", nullable: true, readOnly: true },
      seen: { $ref: "#/components/schemas/Seen" },
      at: { $ref: "#/components/schemas/Time", readOnly: true },
      name: { type: "string" },
      secret: { type: ["string", "null"], writeOnly: true },
    },
  },
  Time: { type: "string" },
  MaybePet: { $ref: "#/components/schemas/Pet", nullable: true },
  NullablePet: { type: ["object", "null"], $ref: "#/components/schemas/Pet" },
};

test("what only responses have is no field, also where it may be null or is referred to", () => {
  const schema = { $ref: "#/components/schemas/Pet" };
  const tool = toolAt(
    "POST",
    {
      ...jsonBody(schema, { required: true }),
      responses: { 200: { content: { "application/json": { schema } } } },
    },
    { components: { schemas: PETS_OF_TODAY } },
  );
  const { inputSchema, outputSchema } = describeOwnTool(ownTool("a", tool));
  assert.deepEqual(Object.keys(inputSchema.properties ?? {}), ["name", "secret"]);
  assert.deepEqual(inputSchema.required, ["name", "secret"]);
  assert.deepEqual(Object.keys(outputSchema.properties ?? {}), ["id", "seen", "at", "name"]);
  assert.deepEqual(outputSchema.required, ["id", "seen", "name"]);
});

test("what only responses have is left out of an object that may be null", () => {
  for (const name of ["MaybePet", "NullablePet"]) {
    const tool = ownTool(
      "a",
      toolAt("POST", jsonBody({ $ref: `#/components/schemas/${name}` }), {
        components: { schemas: PETS_OF_TODAY },
      }),
    );
    for (const body of [null, { name: "Ada", secret: null }])
      assert.ok(checkInput(tool, { body }), name);
    assert.throws(() => checkInput(tool, { body: { name: "Ada" } }), name);
    assert.throws(() => checkInput(tool, { body: 7 }), name);
  }
});

test("a schema that is the only one of `allOf` is that schema, for fields sent as text too", () => {
  const schema = { allOf: [{ $ref: "#/components/schemas/Count" }], description: "How many." };
  const parameters = [{ name: "n", in: "query", schema }];
  const components = {
    schemas: { Count: { type: "integer", minimum: 1, description: "A count." } },
  };
  const tool = ownTool("a", toolAt("GET", { parameters }, { components }));
  const { n } = describeOwnTool(tool).inputSchema.properties ?? {};
  assert.deepEqual(n, { type: "integer", minimum: 1, description: "How many." });
});

test("a field has a name that hosts of agents take, and its parameter that of the document", async () => {
  const long = "x".repeat(70);
  const names = ["filter[name]", "filter_name", "$top", "ids[]", "[]", long, "per-page.size"];
  const parameters = names.map((name) => ({ name, in: "query" }));
  const tool = ownTool("a", toolAt("GET", { parameters }));
  const fields = Object.keys(describeOwnTool(tool).inputSchema.properties ?? {});
  assert.deepEqual(fields, [
    ...["filter_name", "query_filter_name", "top", "ids", "query", long.slice(0, 64)],
    "per-page.size",
  ]);
  const input = Object.fromEntries(fields.map((field, at) => [field, at]));
  const { url } = await requestAt(input, "GET", { parameters });
  assert.deepEqual(
    [...new URL(url, "https://example.com").searchParams],
    names.map((name, at) => [name, String(at)]),
  );
  const body = ownTool("a", toolAt("POST", jsonBody({ properties: { "a b": {} } })));
  assert.deepEqual(Object.keys(describeOwnTool(body).inputSchema.properties ?? {}), ["body"]);
});

test("a member that a body requires and does not describe is a field of any value", async () => {
  const schema = { required: ["b"], properties: { a: { type: "string" } } };
  const operation = jsonBody(schema, { required: true });
  const tool = ownTool("a", toolAt("POST", operation));
  assert.match(errorOf(() => checkInput(tool, { a: "" })).message, /`b` is required/);
  assert.equal((await requestAt({ b: [1] }, "POST", operation)).body, '{"b":[1]}');
  const parameters = [{ name: "b", in: "query", schema: { type: "integer" } }];
  const both = { ...operation, parameters };
  const { properties } = describeOwnTool(ownTool("a", toolAt("POST", both))).inputSchema;
  assert.deepEqual(Object.keys(properties ?? {}), ["b", "body"], "one that is a parameter, too");
  const { url, body } = await requestAt({ b: 1, body: { b: [2] } }, "POST", both);
  assert.deepEqual([url, body], ["/a?b=1", '{"b":[2]}']);
});

/** Schemas, and what they allow. */
const ALLOWED: Record<string, [schema: object, ...values: unknown[]]> = {
  "null, of an object or null that contains itself": [
    { $ref: "#/components/schemas/Tree" },
    { parent: null },
    { parent: { parent: null } },
  ],
  "one of several that a discriminator tells apart": [
    {
      oneOf: [
        { type: "object", properties: { kind: { type: "string" }, meows: { type: "boolean" } } },
        { type: "object", properties: { kind: { type: "string" }, barks: { type: "boolean" } } },
      ],
      discriminator: { propertyName: "kind" },
    },
    { kind: "cat", meows: true },
  ],
  "one of several beside any of others": [
    { oneOf: [{ type: "string" }, { type: "number" }], anyOf: [{ const: 1 }, { const: "a" }] },
    ...[1, "a"],
  ],
  "a UUID of any version": [
    { type: "string", format: "uuid" },
    "99c17cbb-656f-f64a-940f-1a4568f03487",
  ],
  "a relative reference": [{ type: "string", format: "uri-reference" }, "../a?b=1"],
  "a time in small letters": [{ type: "string", format: "date-time" }, "2026-11-30t12:00:00z"],
  "a letter by its property": [{ type: "string", pattern: "^\\p{L}+$" }, "Ada"],
  "a pattern of another language": [{ type: "string", pattern: "\\AAda\\z" }, "Ada"],
  "a name by its pattern": [
    {
      type: "object",
      patternProperties: { "^\\p{L}+$": { type: "number" } },
      additionalProperties: false,
    },
    { é: 1 },
  ],
};

for (const [what, [schema, ...values]] of Object.entries(ALLOWED))
  test(`the document decides what is allowed: ${what}`, () => {
    const nullable = { oneOf: [{ $ref: "#/components/schemas/Tree" }, { type: "null" }] };
    const schemas = { Tree: { type: "object", properties: { parent: nullable } } };
    const body = jsonBody({ type: "array", items: schema });
    const tool = ownTool("a", toolAt("POST", body, { components: { schemas } }));
    assert.ok(checkInput(tool, { body: values }));
  });

test("only valid keywords of a schema are passed on, so agents and generators can read it", () => {
  const odd = {
    ...{ type: "object", required: true, examples: { first: { a: 1 } }, title: 7 },
    ...{ allOf: [], enum: [], minLength: -1, maximum: "9", discriminator: {}, if: [] },
    properties: {
      file: { type: "file", required: true, description: ["no"], pattern: 7 },
      size: { type: "integer", exclusiveMinimum: true, example: 5, multipleOf: 0 },
      both: { type: ["string", "uuid"], items: [{ type: "string" }] },
    },
  };
  for (const schema of [odd, { type: "array", minItems: 1, items: odd }]) {
    const tool = ownTool("a", toolAt("POST", jsonBody(schema, { required: true })));
    const { inputSchema } = describeOwnTool(tool);
    const ajv = new Ajv2020({ strict: false });
    assert.ok(ajv.validateSchema(inputSchema), ajv.errorsText());
    const sample = sampleRequest(tool) ?? {};
    assert.ok(checkInput(tool, sample));
    assert.throws(() => checkInput(tool, { size: 1.5 }));
  }
});

test("a body that may be left out is sent only if the call has a field of it", async () => {
  const schema = { type: "object", required: ["a"], properties: { a: { type: "string" } } };
  for (const type of [
    "application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
  ]) {
    const requestBody = { content: { [type]: { schema } } };
    const { headers, body } = await requestAt({}, "POST", { requestBody });
    assert.deepEqual([headers, body], [{}, null], type);
    assert.notEqual((await requestAt({ a: "b" }, "POST", { requestBody })).body, null, type);
  }
  const needed = await requestAt({}, "POST", jsonBody({ properties: {} }, { required: true }));
  assert.equal(needed.body, "{}");
});

const SCHEMES = {
  securitySchemes: {
    session: { type: "apiKey", in: "cookie", name: "sid" },
    csrf: { type: "apiKey", in: "cookie", name: "csrf" },
    token: { type: "apiKey", in: "header", name: "X-Key" },
    login: { type: "http", scheme: "basic" },
  },
};

test("cookies of the operator are sent beside each other and beside those of the call", async () => {
  const { headers } = await requestAt(
    { theme: "a b" },
    "POST",
    {
      security: [{ session: [], csrf: [] }],
      parameters: [
        { name: "theme", in: "cookie", schema: { type: "string" } },
        { name: "sid", in: "cookie", required: true, schema: { type: "string" } },
      ],
    },
    { components: SCHEMES },
    { security: { session: "PETS_KEY", csrf: "QUERY_KEY" } },
  );
  assert.deepEqual(headers, { cookie: "sid=k1; csrf=a b&c; theme=a%20b" });
});

test("a parameter that the operator's credentials fill is no field", () => {
  const tool = toolAt(
    "GET",
    {
      security: [{ token: [] }],
      parameters: [{ name: "x-key", in: "header", required: true, schema: { type: "string" } }],
    },
    { components: SCHEMES },
    { security: { token: "PETS_KEY" } },
  );
  assert.deepEqual(describeOwnTool(ownTool("a", tool)).inputSchema.properties, {});
});

test("a service that can do without credentials gets those that there are", async () => {
  const operation = { security: [{}, { token: [] }] };
  const sent = async (options: Partial<OpenApiOptions>) =>
    (await requestAt({}, "GET", operation, { components: SCHEMES }, options)).headers;
  assert.deepEqual(await sent({ security: { token: "PETS_KEY" } }), { "x-key": "k1" });
  assert.deepEqual(await sent({}), {});
});

test("user and password are sent in UTF-8", async () => {
  const { headers } = await requestAt(
    ...[{}, "GET" as const, { security: [{ login: [] }] }, { components: SCHEMES }],
    { security: { login: "LOGIN" } },
  );
  assert.deepEqual(headers, { authorization: `Basic ${Buffer.from("ü:€").toString("base64")}` });
});

const listIn = (where: string, more: object = {}) => ({
  ...{ name: "ids", in: where, schema: { type: "array", items: {} }, ...more },
});

/** A parameter, its value, and where it is in the request. */
const WRITTEN: [parameter: object, value: unknown, written: string][] = [
  [listIn("path"), ["a,b", "c/d", 1], "/a%2Cb,c%2Fd,1"],
  [listIn("query", { explode: false }), ["a,b", "c d"], "?ids=a%2Cb,c%20d"],
  [listIn("query", { style: "pipeDelimited" }), ["a|b", "c"], "?ids=a%7Cb%7Cc"],
  [listIn("query"), ["a&b", "c+d"], "?ids=a%26b&ids=c%2Bd"],
  [listIn("query", { style: "deepObject" }), ["a", "b"], "?ids%5B0%5D=a&ids%5B1%5D=b"],
  [
    { name: "ids", in: "query", style: "deepObject", schema: {} },
    { a: { gt: 1, none: null }, b: [2] },
    "?ids%5Ba%5D%5Bgt%5D=1&ids%5Bb%5D%5B0%5D=2",
  ],
  [{ name: "ids", in: "query", schema: {} }, null, ""],
  [listIn("query"), [1, null, 2], "?ids=1&ids=2"],
  [listIn("query", { explode: false }), [1, null, 2], "?ids=1,2"],
  [listIn("query", { style: "deepObject" }), [1, null, 2], "?ids%5B0%5D=1&ids%5B2%5D=2"],
  [{ name: "ids", in: "query", schema: {} }, { a: 1, b: null }, "?a=1"],
  [listIn("path"), [1, null, 2], "/1,2"],
  [{ name: "ids", in: "query", content: { "application/json": {} } }, null, "?ids=null"],
  [
    { name: "ids", in: "query", content: { "application/json": {} } },
    ["é"],
    "?ids=%5B%22%C3%A9%22%5D",
  ],
];

for (const [parameter, value, written] of WRITTEN)
  test(`${JSON.stringify(value)} is ${written || "left out"} in ${JSON.stringify(parameter)}`, async () => {
    const path = "in" in parameter && parameter.in === "path" ? "/{ids}" : "/a";
    const { url } = await requestAt({ ids: value }, "GET", { path, parameters: [parameter] });
    assert.equal(url.replace(/^\/a(?=\?|$)/, ""), written);
  });

test("null is left out of headers, cookies and forms, which have no sign for it", async () => {
  const parameters = ["header", "cookie"].map((where) => ({ name: `in-${where}`, in: where }));
  for (const type of ["application/x-www-form-urlencoded", "multipart/form-data"]) {
    const requestBody = { content: { [type]: { schema: { properties: { a: {}, b: {} } } } } };
    const input = { "in-header": null, "in-cookie": null, a: null, b: "c" };
    const sent = await requestAt(input, "POST", { parameters, requestBody });
    const { "content-type": _, ...headers } = sent.headers;
    assert.deepEqual(headers, {});
    const form = typeof sent.body === "string" ? new URLSearchParams(sent.body) : sent.body;
    assert.deepEqual([...(form as FormData)], [["b", "c"]]);
  }
});

test("a list in a form is sent item by item, unless its encoding says otherwise", async () => {
  const properties = Object.fromEntries("abcd".split("").map((name) => [name, {}]));
  const encoding = {
    b: { style: "deepObject", explode: true },
    c: { style: "form", explode: false },
    d: null,
  };
  const content = { "application/x-www-form-urlencoded": { schema: { properties }, encoding } };
  const [a, b, c, d] = [["x", "y"], ["x"], ["x", "y"], [{ e: 1 }]];
  const { body } = await requestAt({ a, b, c, d }, "POST", { requestBody: { content } });
  assert.equal(body, "a=x&a=y&b%5B0%5D=x&c=x,y&d%5B0%5D%5Be%5D=1");
});

test("a text that has no UTF-8 form is rejected wherever it would have to be sent as such", async () => {
  const broken = "a\ud800";
  for (const where of ["path", "query", "header", "cookie"]) {
    const path = where === "path" ? "/{ids}" : "/a";
    const parameters = [{ name: "ids", in: where }];
    const sent = requestAt({ ids: broken }, "GET", { path, parameters });
    await assert.rejects(sent, InvalidInput, where);
  }
  const nested = requestAt({ ids: { [broken]: 1 } }, "GET", {
    parameters: [{ name: "ids", in: "query", style: "deepObject" }],
  });
  await assert.rejects(nested, InvalidInput);
  for (const type of ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"]) {
    const schema = type === "text/plain" ? {} : { properties: { body: {} } };
    const requestBody = { content: { [type]: { schema } } };
    await assert.rejects(requestAt({ body: broken }, "POST", { requestBody }), InvalidInput, type);
  }
  const { body } = await requestAt({ body: broken }, "POST", jsonBody({}));
  assert.equal(body, '"a\\ud800"');
});

test("parameters of all places have fields of their own, whatever their names", () => {
  const parameters = [
    ...[
      { name: "query_id", in: "query" },
      { name: "id", in: "header" },
      { name: "id", in: "query" },
    ],
    { name: "Content-Length", in: "header", required: true },
  ];
  const tool = toolAt("GET", { parameters });
  assert.deepEqual(Object.keys(describeOwnTool(ownTool("a", tool)).inputSchema.properties ?? {}), [
    ...["query_id", "id", "query_query_id"],
  ]);
});

test("the schema of a response is that of the only success; one of several says nothing of the others", () => {
  const json = (schema: object) => ({ content: { "application/json": { schema } } });
  const outputOf = (responses: object) => toolAt("GET", { responses }).output;
  const good = json({ type: "object", properties: {} });
  assert.notEqual(outputOf({ 200: good, 404: {} }), undefined);
  assert.equal(outputOf({ 200: good, 204: { description: "None." } }), undefined);
});

test("what cannot be a tool is told, with the operation and the reason", () => {
  for (const [prices, more, reason] of [
    [{ "POST /pet": 1 }, {}, /no operation POST \/pet; did you mean POST \/pets\?/],
    [
      { showStyled: 1 },
      {},
      /GET \/styled\/\{id\} cannot be a tool: it has the parameter id in the style "matrix"/,
    ],
    [
      { showUnknown: 1 },
      { security: { other: "PETS_KEY" } },
      /needs other, which the document does not define; send the credentials with `headers`/,
    ],
    [
      { showCertified: 1 },
      { security: { certificate: "PETS_KEY" } },
      /needs certificate, which is mutualTLS; send the credentials with `headers`/,
    ],
    [
      { sendForm: 1 },
      {},
      /POST \/forms cannot be a tool: it has no server with an absolute URL \(\/relative\)/,
    ],
    [
      { deletePet: 1 },
      {},
      /needs basic; name the setting that has it: security: \{ "basic": "UPSTREAM_TOKEN" \}/,
    ],
    [
      { listPets: 1 },
      { effects: { listPets: "none" as never } },
      /GET \/pets cannot be a tool: it has the effect "none"; `effects` has "read" or "act"/,
    ],
    [{}, {}, /`prices` must have a price/],
  ] as const)
    assert.throws(() => made(prices, more), reason);
  const get = { responses: {} };
  const alike = { ...PETS, security: [], paths: { "/pets/{me}": { get }, "/pets/me": { get } } };
  assert.throws(
    () => toolsOf(alike, { prices: { "GET /pets/{me}": 1, "GET /pets/me": 1 } }),
    /^TypeError: GET \/pets\/me cannot be a tool: it would have the name of another one, get-pets-me; give it an operationId of its own\.$/,
  );
  const other = { ...PETS, swagger: "2.0", openapi: undefined };
  assert.throws(() => toolsOf(other, { prices: {} }), /this one is Swagger 2\.0/);
  const away = structuredClone(PETS) as unknown as {
    paths: { "/pets": { get: { parameters: object[] } } };
  };
  away.paths["/pets"].get.parameters.push({ $ref: "other.json#/Trace" });
  assert.throws(
    () => toolsOf(away, { prices: { listPets: 1 } }),
    /refers to other\.json#\/Trace, which is not in the document/,
  );
});
