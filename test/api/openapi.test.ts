import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { JsonSchema, OpenApiDocument, Operation } from "#api/openapi/document.ts";
import { REQUEST_HEADERS } from "#api/openapi/headers.ts";
import { describeApi } from "#api/openapi/openapi.ts";
import { TOOLBOOTH } from "#brand.ts";
import { ERRORS, type ErrorCode } from "#errors.ts";
import { TOOLS } from "#tools/registry.ts";
import { strictCopy } from "../http/description.ts";

const OPTIONS = {
  ...TOOLBOOTH,
  publicUrl: "https://tools.test",
  tools: TOOLS,
  version: "1.2.3",
};
const document = describeApi(OPTIONS);
const toolPaths = Object.entries(document.paths).filter(([path]) =>
  TOOLS.some(({ name }) => path === `/api/v1/${name}`),
);
const codes = Object.keys(ERRORS) as ErrorCode[];

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document as object, "api");
ajv.addSchema(strictCopy(document) as object, "strict");
const validatorAt = (pointer: string, id = "api") => ajv.compile({ $ref: `${id}${pointer}` });

/** A reference of the document, followed. */
function follow(target: { $ref: string } | object): unknown {
  if (!("$ref" in target)) return target;
  return target.$ref
    .slice(2)
    .split("/")
    .reduce((part, name) => (part as Record<string, unknown>)[name], document as unknown);
}

describe("the description of the API", () => {
  const folder = mkdtempSync(join(tmpdir(), "toolbooth-openapi-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("passes the linter", () => {
    const file = join(folder, "openapi.json");
    writeFileSync(file, JSON.stringify(document, null, 2));
    const { status, stdout, stderr } = lint(file);
    assert.equal(status, 0, stdout + stderr);
    assert.doesNotMatch(stdout + stderr, /warning/i);
  });

  it("has one operation for each tool, a verb with a noun", () => {
    const names = toolPaths.map(([path, { post }]) => [path, post?.operationId]);
    assert.deepEqual(names.slice(0, 5), [
      ["/api/v1/markdown-render", "renderMarkdown"],
      ["/api/v1/qr-code", "createQrCode"],
      ["/api/v1/hash", "hashText"],
      ["/api/v1/uuid", "generateUuids"],
      ["/api/v1/echo", "echoJson"],
    ]);
    assert.deepEqual(Object.keys(document.paths), [
      ...TOOLS.map(({ name }) => `/api/v1/${name}`),
      "/api/v1/account",
    ]);
  });

  it("has names that generated types of operations cannot have, in any case", () => {
    const ids = operationsIn(document).map(({ operationId }) => operationId.toLowerCase());
    assert.equal(new Set(ids).size, ids.length);
    const schemas = Object.keys(document.components.schemas).map((name) => name.toLowerCase());
    assert.equal(new Set(schemas).size, schemas.length);
    const suffixes = ["", "data", "error", "errors", "params", "request", "response", "responses"];
    for (const id of ids) {
      for (const suffix of suffixes) assert.ok(!schemas.includes(`${id}${suffix}`), id + suffix);
    }
  });

  it("has no parameter, which importers would send with every call", () => {
    for (const operation of operationsIn(document)) {
      assert.ok(!("parameters" in operation), operation.operationId);
    }
  });

  it("has the idempotency key as a parameter where a call needs it, and not for its quote", () => {
    const [first] = TOOLS;
    assert.ok(first);
    const tool = { ...first, effect: "act" as const, priceOf: () => 1 };
    const { paths } = describeApi({ ...OPTIONS, tools: [tool] });
    const parametersAt = (to: string) => (paths[to]?.post ?? assert.fail(to)).parameters;
    const [key, ...others] = parametersAt(`/api/v1/${tool.name}`) ?? [];
    assert.deepEqual([key?.name, key?.in, key?.required], ["Idempotency-Key", "header", true]);
    assert.deepEqual(others, []);
    const takes = ajv.compile(key?.schema as object);
    assert.ok(takes("order-4711") && takes("!".repeat(255)));
    for (const bad of ["", "a b", "ä", "!".repeat(256)]) assert.ok(!takes(bad), bad);
    assert.equal(parametersAt(`/api/v1/${tool.name}/quote`), undefined);
  });

  it("requires no header that some of its errors lack, and has those about credits after every tool", () => {
    const { headers, responses } = document.components;
    assert.equal(headers["Retry-After"]?.required, undefined);
    for (const status of [422, 500, 502, 503, 504])
      assert.ok("Credits-Charged" in (responses[`Problem${status}`]?.headers ?? {}), `${status}`);
  });

  it("names every optional header of a call in its introduction", () => {
    for (const { name } of REQUEST_HEADERS) {
      assert.ok(document.info.description.includes(`- \`${name}\`: `), name);
    }
  });

  it("is the same for all settings but the URL", () => {
    const settings = { rateLimit: 0, freeCallCredits: 0 };
    assert.deepEqual(describeApi({ ...OPTIONS, ...settings }), document);
    const elsewhere = describeApi({ ...OPTIONS, publicUrl: "https://other.test/below" });
    const moved = JSON.stringify(elsewhere).replaceAll(
      "https://other.test/below",
      "https://tools.test",
    );
    assert.deepEqual(JSON.parse(moved), JSON.parse(JSON.stringify(document)));
  });

  it("describes every field of every schema, or the schema that it refers to", () => {
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      assert.ok(schema.description, name);
      for (const [field, part] of Object.entries(schema.properties ?? {})) {
        const { description } = part.description ? part : (follow(part) as JsonSchema);
        assert.ok(description, `${name}.${field} has no description`);
      }
    }
  });

  it("uses every component except the errors for other paths and methods", () => {
    const text = JSON.stringify(document);
    const unused = Object.entries(document.components)
      .filter(([kind]) => kind !== "securitySchemes")
      .flatMap(([kind, components]) =>
        Object.keys(components).map((name) => `#/components/${kind}/${name}`),
      )
      .filter((pointer) => !text.includes(`"$ref":"${pointer}"`));
    assert.deepEqual(unused, [
      "#/components/responses/Problem404",
      "#/components/responses/Problem405",
    ]);
  });
});

describe("the schemas of a tool", () => {
  for (const [path, { post }] of toolPaths) {
    const operation = post as Operation;
    const tool = TOOLS.find(({ name }) => path.endsWith(`/${name}`));
    const requests = operation.requestBody?.content["application/json"];
    const results = (
      operation.responses["200"] as OpenApiDocument["components"]["responses"][string]
    ).content?.["application/json"];

    it(`${path}: has the examples of the tool, request and response under one name`, () => {
      assert.ok(tool !== undefined && tool.examples.length > 0, "the tool has no examples");
      assert.deepEqual(Object.keys(requests?.examples ?? {}), Object.keys(results?.examples ?? {}));
      assert.equal(Object.keys(requests?.examples ?? {}).length, tool.examples.length);
    });

    it(`${path}: accepts its own examples, and responses of later releases with more members`, () => {
      const takesRequest = validatorAt(requests?.schema.$ref as string);
      const takesResponse = validatorAt(results?.schema.$ref as string);
      const takesToday = validatorAt(results?.schema.$ref as string, "strict");
      for (const { name, request, response } of tool?.examples ?? []) {
        assert.ok(takesRequest(request), `${name}: ${ajv.errorsText(takesRequest.errors)}`);
        assert.ok(takesResponse(response), `${name}: ${ajv.errorsText(takesResponse.errors)}`);
        assert.ok(takesToday(response), `${name}: ${ajv.errorsText(takesToday.errors)}`);
        const longer = { ...(response as object), other: 1 };
        assert.ok(takesResponse(longer), `${name} with a member more`);
        assert.ok(!takesToday(longer), `${name} with a member more, of this release`);
        assert.ok(!takesResponse({ ...(response as object), ok: false }), `${name} with ok false`);
        for (const field of Object.keys(response as object)) {
          if (tool?.name === "echo" && field === "body") continue;
          const other = { ...(response as object), [field]: { of: "another type" } };
          assert.ok(!takesResponse(other), `${name} with another ${field}`);
        }
      }
    });

    it(`${path}: its request has an example of its own, and no default makes a field required`, () => {
      const $ref = requests?.schema.$ref as string;
      const { example, default: filledIn, properties = {} } = follow({ $ref }) as JsonSchema;
      assert.deepEqual(filledIn, example);
      assert.doesNotMatch(JSON.stringify(properties), /"default":/);
      assert.equal(example === undefined, tool?.verbatim !== undefined);
      assert.ok(validatorAt($ref)(example ?? null));
    });

    it(`${path}: says whether a body is needed, and how large it may be`, () => {
      assert.equal(operation.requestBody?.required, tool?.body === "required");
      assert.equal(operation["x-limits"]?.bodyBytesMax, tool?.bodyBytesMax);
    });
  }

  it("states the defaults that the specification names", () => {
    const defaults = (name: string) =>
      Object.fromEntries(
        Object.entries(document.components.schemas[name]?.properties ?? {}).map(
          ([field, schema]: [string, JsonSchema]) => {
            const fallback = schema["x-default"];
            const words = typeof fallback === "string" ? fallback : JSON.stringify(fallback);
            const sentence = fallback === undefined ? "" : `Default: \`${words}\`.`;
            assert.ok(schema.description?.endsWith(sentence), `${name}.${field}`);
            return [field, fallback];
          },
        ),
      );
    for (const name of ["CreateQrCodeInput", "HashTextInput"])
      assert.ok(
        Object.values(defaults(name)).some((fallback) => fallback !== undefined),
        name,
      );
    assert.deepEqual(defaults("GenerateUuidsInput"), { count: 1, uppercase: false, version: 4 });
  });

  it("promises the headers of a known account on every response", () => {
    for (const [path, { post }] of toolPaths) {
      const { headers } = (post as Operation).responses["200"] as {
        headers: Record<string, object>;
      };
      assert.ok("RateLimit" in headers, path);
      for (const name of ["X-Request-Id", "Credits-Charged", "Credits-Remaining"]) {
        const { required } = follow(headers[name] as object) as { required?: boolean };
        assert.equal(required, true, `${path}: ${name}`);
      }
    }
  });

  it("takes any JSON value for echo", () => {
    const takes = validatorAt("#/components/schemas/EchoJsonInput");
    for (const value of [null, 0, "", [], {}, true]) assert.ok(takes(value));
  });
});

const SECOND_EXAMPLES = new Map([
  ["credits_held", "insufficient_credits"],
  ["expired_key", "invalid_key"],
  ["charge_unknown", "unavailable"],
]);

describe("the errors in the description", () => {
  it("has every code once, under its own status, with an example that its schema takes", () => {
    const seen: string[] = [];
    for (const [name, result] of Object.entries(document.components.responses)) {
      const content = result.content?.["application/problem+json"];
      assert.deepEqual(result.content?.["application/json"], content, name);
      const schema = `#/components/responses/${name}/content/application~1problem+json/schema`;
      const [takes, takesToday] = [validatorAt(schema), validatorAt(schema, "strict")];
      for (const [example, reference] of Object.entries(content?.examples ?? {})) {
        const { value } = follow(reference) as { value: { code: ErrorCode } };
        const { code } = value;
        // Of two codes there is a second example.
        const second = SECOND_EXAMPLES.get(example);
        if (second === undefined) seen.push(example);
        assert.equal(code, second ?? example);
        assert.equal(name, `Problem${ERRORS[code].status}`);
        assert.ok(takes(value), `${code}: ${ajv.errorsText(takes.errors)}`);
        assert.ok(takesToday(value), `${code}: ${ajv.errorsText(takesToday.errors)}`);
        assert.ok(!takes({ ...value, status: 418 }));
        assert.ok(takes({ ...value, code: "of_tomorrow", member: 1 }));
        assert.ok(!takesToday({ ...value, code: "of_tomorrow" }));
        assert.ok(!takesToday({ ...value, member: 1 }));
      }
    }
    assert.deepEqual(seen.toSorted(), codes.toSorted());
  });

  it("lists every code in the schema of a problem, and expects others", () => {
    const { Problem } = document.components.schemas;
    const code = Problem?.properties?.["code"];
    assert.deepEqual(code?.["x-extensible-enum"], codes);
    assert.equal(code?.enum, undefined);
    for (const each of codes) assert.ok(code?.description?.includes(`\`${each}\``), each);
  });

  it("declares every member that an example of an error has", () => {
    const { Problem } = document.components.schemas;
    const declared = Object.keys(Problem?.properties ?? {});
    const seen = Object.values(document.components.examples).flatMap(({ value }) =>
      Object.keys(value as object),
    );
    assert.deepEqual(
      declared.filter((name) => !seen.includes(name)),
      [],
    );
    assert.deepEqual(
      [...new Set(seen)].filter((name) => !declared.includes(name)),
      [],
    );
  });

  it("gives every tool every error that a call can get", () => {
    const statuses = [
      ...[400, 401, 402, 403, 406, 408, 409, 413, 415, 422, 429, 431],
      ...[500, 502, 503, 504],
    ].map(String);
    for (const [path, { post }] of toolPaths) {
      assert.deepEqual(Object.keys(post?.responses ?? {}), ["200", ...statuses], path);
    }
  });

  it("says when to try again, how to authenticate and which methods there are", () => {
    const headers = (status: number) =>
      Object.keys(document.components.responses[`Problem${status}`]?.headers ?? {});
    for (const status of [409, 429, 503]) assert.ok(headers(status).includes("Retry-After"));
    assert.ok(headers(401).includes("WWW-Authenticate"));
    assert.ok(headers(405).includes("Allow"));
  });
});

const operationsIn = ({ paths }: OpenApiDocument): Operation[] =>
  Object.values(paths).flatMap(({ get, post }) => [get, post].filter((each) => each !== undefined));

/** The linter as a process of its own. It asks nobody anything: no telemetry, no look for a newer version. */
function lint(file: string) {
  const manifest = fileURLToPath(import.meta.resolve("@redocly/cli/package.json"));
  const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { bin: { redocly: string } };
  const root = join(import.meta.dirname, "../..");
  return spawnSync(
    process.execPath,
    [join(dirname(manifest), bin.redocly), "lint", file, "--config", join(root, "redocly.yaml")],
    {
      encoding: "utf8",
      env: {
        PATH: process.env["PATH"],
        HOME: dirname(file),
        CI: "true",
        NO_COLOR: "1",
        REDOCLY_TELEMETRY: "off",
        REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
        REDOCLY_SUPPRESS_NOTIFICATIONS: "true",
      },
    },
  );
}
