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
import { describeApi } from "#api/openapi/openapi.ts";
import { ERRORS, type ErrorCode } from "#errors.ts";
import { TOOLS } from "#tools/registry.ts";

const OPTIONS = {
  publicUrl: "https://tools.test",
  freeCallCredits: 1,
  tools: TOOLS,
  version: "1.2.3",
};
const document = describeApi({ ...OPTIONS, rateLimit: 100 });
const toolPaths = Object.entries(document.paths).filter(([path]) =>
  TOOLS.some(({ name }) => path === `/api/v1/${name}`),
);
const codes = Object.keys(ERRORS) as ErrorCode[];

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document as object, "api");
const validatorAt = (pointer: string) => ajv.compile({ $ref: `api${pointer}` });

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

  for (const rateLimit of [100, 0]) {
    it(`passes the linter with a rate limit of ${rateLimit}`, () => {
      const file = join(folder, `openapi-${rateLimit}.json`);
      const options = { ...OPTIONS, rateLimit };
      writeFileSync(file, JSON.stringify(describeApi(options), null, 2));
      const { status, stdout, stderr } = lint(file);
      assert.equal(status, 0, stdout + stderr);
      assert.doesNotMatch(stdout + stderr, /warning/i);
    });
  }

  it("has one operation for each tool, named after it", () => {
    const operations = toolPaths.map(([path, { post }]) => [path, post?.operationId]);
    assert.deepEqual(operations.slice(0, 5), [
      ["/api/v1/markdown-render", "markdownRender"],
      ["/api/v1/qr-code", "qrCode"],
      ["/api/v1/hash", "hash"],
      ["/api/v1/uuid", "uuid"],
      ["/api/v1/echo", "echo"],
    ]);
    assert.deepEqual(
      Object.keys(document.paths).filter((path) => path.startsWith("/api/")),
      [...TOOLS.map(({ name }) => `/api/v1/${name}`), "/api/v1/account"],
    );
  });

  it("has the operator's endpoints, without a key", () => {
    for (const path of ["/healthz", "/readyz", "/metrics", "/openapi.json"]) {
      assert.deepEqual(document.paths[path]?.get?.security, [], path);
    }
  });

  it("describes every field of every schema", () => {
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      assert.ok(schema.description, name);
      for (const [field, { description }] of Object.entries(schema.properties ?? {})) {
        assert.ok(description, `${name}.${field} has no description`);
      }
    }
  });

  it("uses every component except the error for other methods", () => {
    const text = JSON.stringify(document);
    const unused = Object.entries(document.components)
      .filter(([kind]) => kind !== "securitySchemes")
      .flatMap(([kind, components]) =>
        Object.keys(components).map((name) => `#/components/${kind}/${name}`),
      )
      .filter((pointer) => !text.includes(`"$ref":"${pointer}"`));
    assert.deepEqual(unused, ["#/components/responses/Problem405"]);
  });

  it("is the same however often it is made", () => {
    const options = { ...OPTIONS, rateLimit: 100 };
    assert.deepEqual(describeApi(options), document);
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

    it(`${path}: has the examples of the tool, request and answer under one name`, () => {
      assert.ok(tool !== undefined && tool.examples.length > 0, "the tool has no examples");
      assert.deepEqual(Object.keys(requests?.examples ?? {}), Object.keys(results?.examples ?? {}));
      assert.equal(Object.keys(requests?.examples ?? {}).length, tool.examples.length);
    });

    it(`${path}: takes its own examples, and no answer with another member`, () => {
      const takesRequest = validatorAt(requests?.schema.$ref as string);
      const takesResponse = validatorAt(results?.schema.$ref as string);
      for (const { name, request, response } of tool?.examples ?? []) {
        assert.ok(takesRequest(request), `${name}: ${ajv.errorsText(takesRequest.errors)}`);
        assert.ok(takesResponse(response), `${name}: ${ajv.errorsText(takesResponse.errors)}`);
        assert.ok(
          !takesResponse({ ...(response as object), other: 1 }),
          `${name} with a member more`,
        );
        assert.ok(!takesResponse({ ...(response as object), ok: false }), `${name} with ok false`);
      }
    });

    it(`${path}: says whether a body is needed, and how large it may be`, () => {
      assert.equal(operation.requestBody?.required, tool?.body === "required");
      assert.equal(operation["x-limits"]?.bodyBytesMax, tool?.bodyBytesMax);
    });
  }

  it("tells the defaults that the specification names", () => {
    const defaults = (name: string) =>
      Object.fromEntries(
        Object.entries(document.components.schemas[name]?.properties ?? {}).map(
          ([field, schema]: [string, JsonSchema]) => [field, schema.default],
        ),
      );
    assert.deepEqual(defaults("QrCodeRequest"), {
      text: undefined,
      format: "png",
      errorCorrectionLevel: "M",
      width: 256,
      margin: 4,
      dark: "#000000",
      light: "#ffffff",
    });
    assert.equal(defaults("HashRequest")["algorithm"], "sha256");
    assert.equal(defaults("HashRequest")["encoding"], "hex");
    assert.deepEqual(defaults("UuidRequest"), { count: 1, uppercase: false, version: 4 });
  });

  it("promises the headers of a known caller on every answer", () => {
    for (const [path, { post }] of toolPaths) {
      const { headers } = (post as Operation).responses["200"] as {
        headers: Record<string, object>;
      };
      for (const name of ["X-Request-Id", "Credits-Charged", "Credits-Remaining", "RateLimit"]) {
        const { required } = follow(headers[name] as object) as { required?: boolean };
        assert.equal(required, true, `${path}: ${name}`);
      }
    }
  });

  it("takes any JSON value for echo", () => {
    const takes = validatorAt("#/components/schemas/EchoRequest");
    for (const value of [null, 0, "", [], {}, true]) assert.ok(takes(value));
  });
});

describe("the errors in the description", () => {
  it("has every code once, under its own status, with an example that its schema takes", () => {
    const seen: string[] = [];
    for (const [name, result] of Object.entries(document.components.responses)) {
      const content = result.content?.["application/problem+json"];
      assert.deepEqual(result.content?.["application/json"], content, name);
      const takes = validatorAt(
        `#/components/responses/${name}/content/application~1problem+json/schema`,
      );
      for (const [code, reference] of Object.entries(content?.examples ?? {})) {
        seen.push(code);
        assert.equal(name, `Problem${ERRORS[code as ErrorCode].status}`);
        const { value } = follow(reference) as { value: object };
        assert.ok(takes(value), `${code}: ${ajv.errorsText(takes.errors)}`);
        assert.ok(!takes({ ...value, status: 418 }));
      }
    }
    assert.deepEqual(seen.toSorted(), codes.toSorted());
  });

  it("lists every code in the schema of a problem, which may have members of its own", () => {
    const { Problem } = document.components.schemas;
    assert.deepEqual(Problem?.properties?.["code"]?.enum, codes);
    assert.equal(Problem?.additionalProperties, true);
  });

  it("gives every tool every error that a call can get", () => {
    const statuses = [400, 401, 402, 403, 406, 408, 409, 413, 415, 429, 431, 500, 503].map(String);
    for (const [path, { post }] of toolPaths) {
      assert.deepEqual(Object.keys(post?.responses ?? {}), ["200", ...statuses], path);
    }
  });

  it("tells when to come back, how to authenticate and which methods there are", () => {
    const headers = (status: number) =>
      Object.keys(document.components.responses[`Problem${status}`]?.headers ?? {});
    for (const status of [409, 429, 503]) assert.ok(headers(status).includes("Retry-After"));
    assert.ok(headers(401).includes("WWW-Authenticate"));
    assert.ok(headers(405).includes("Allow"));
  });

  it("has neither 429 nor its headers where there is no rate limit", () => {
    const free = describeApi({ ...OPTIONS, rateLimit: 0 });
    assert.ok(!("Problem429" in free.components.responses));
    assert.ok(!("RateLimit" in free.components.headers));
    assert.ok(!("429" in (free.paths["/api/v1/hash"]?.post?.responses ?? {})));
  });
});

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
