/** Checks responses against the OpenAPI description of the service. */
import assert from "node:assert/strict";
import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type {
  ApiResponse as Described,
  Header,
  JsonSchema,
  OpenApiDocument,
  Operation,
  Reference,
} from "#api/openapi/document.ts";
import { RATE_HEADERS } from "#api/openapi/headers.ts";
import { describeApi } from "#api/openapi/openapi.ts";
import { TOOLBOOTH } from "#brand.ts";
import { TOOLS } from "#tools/registry.ts";
import { type ApiResponse, PUBLIC_URL, type TestService } from "./test-api.ts";

/** What clients must tolerate and a response of this release does not have: see `strictCopy`. */
type StrictOptions = {
  /** Calls a second. 0: no response has the headers about it; otherwise every success has them. */
  rateLimit: number;
};

/**
 * The same description for this release alone: the schemas in it allow no members and no values of enumerations but those
 * that they name, so that a stray one fails a test. Parts of an `allOf` are left alone, because each would reject the
 * members of the others.
 */
export function strictCopy<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(strictCopy) as Part;
  if (typeof part !== "object" || part === null) return part;
  const { "x-extensible-enum": values, ...schema } = mapValues(part as JsonSchema, strictMember);
  return {
    ...schema,
    ...(values !== undefined && { enum: values }),
    ...(isSchemaOfObject(part) && { additionalProperties: false }),
  } as Part;
}

const strictMember = (name: string, member: unknown): unknown => {
  // These hold values, not schemas.
  if (["example", "examples", "value", "x-extensible-enum"].includes(name)) return member;
  return name === "allOf" ? member : strictCopy(member);
};

/** The names of the fields of a schema may be any, such as `properties`. */
const isSchemaOfObject = (part: object): boolean =>
  "type" in part && part.type === "object" && "properties" in part;

const mapValues = <In, Out>(values: Record<string, In>, map: (name: string, value: In) => Out) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(name, value)]));

/** Headers of the transport and of HTTP at large, which a description of an API does not name. */
const OF_HTTP = [
  ...["content-type", "content-length", "content-encoding", "vary", "x-content-type-options"],
  ...["connection", "keep-alive", "date", "transfer-encoding"],
];

export type Description = ReturnType<typeof createDescription>;

const descriptions = new Map<number, Description>();

/** Asserts that a response of a tool or of `account` is as the description says. */
export function assertDescribed(
  { settings }: Pick<TestService, "settings">,
  name: string,
  response: ApiResponse,
): void {
  const { rateLimit } = settings;
  const api = describeApi({ ...TOOLBOOTH, publicUrl: PUBLIC_URL, tools: TOOLS, version: "1.2.3" });
  const description = descriptions.get(rateLimit) ?? createDescription(api, settings);
  descriptions.set(rateLimit, description);
  const [path, method] = [`/api/v1/${name}`, name === "account" ? "get" : "post"] as const;
  const operation = description.document.paths[path]?.[method];
  assert.ok(operation);
  description.assertDescribed(operation, path, method, response);
}

export function createDescription(described: OpenApiDocument, { rateLimit }: StrictOptions) {
  const document = strictCopy(described);
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  ajv.addSchema(document, "api");
  const compiled = new Map<string, ValidateFunction>();

  function validator(...path: string[]): ValidateFunction {
    const escaped = path.map((part) =>
      encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")),
    );
    const $ref = `api#/${escaped.join("/")}`;
    const known = compiled.get($ref) ?? ajv.compile({ $ref });
    compiled.set($ref, known);
    return known;
  }

  function assertBody(validate: ValidateFunction, response: ApiResponse): void {
    const isValid = validate(response.json());
    assert.ok(isValid, `${ajv.errorsText(validate.errors)}: ${response.text.slice(0, 500)}`);
  }

  function assertHeader(name: string, value: string | null, header: Header): void {
    if (RATE_HEADERS.includes(name) && rateLimit === 0) {
      assert.equal(value, null, `${name}, and there is no rate limit`);
    }
    if (value === null) {
      assert.ok(!header.required, `${name} is missing`);
      return;
    }
    const isNumber = header.schema.type === "integer" || header.schema.type === "number";
    const validate = validator("components", "headers", name, "schema");
    assert.ok(validate(isNumber ? Number(value) : value), `${name}: ${value}`);
  }

  function assertHeaders(response: ApiResponse, described: Described): void {
    const names = Object.keys(described.headers ?? {});
    for (const name of names) {
      assertHeader(name, response.header(name), document.components.headers[name] as Header);
    }
    if (response.status === 200 && rateLimit > 0) {
      for (const name of RATE_HEADERS.filter((each) => names.includes(each))) {
        assert.ok(response.header(name) !== null, `${name} is missing`);
      }
    }
    const known = new Set([...names.map((name) => name.toLowerCase()), ...OF_HTTP]);
    for (const name of response.headers.keys())
      assert.ok(known.has(name), `${name} is not described`);
  }

  /** The answer of an operation: its status, its type, its headers and its body are described. */
  function assertDescribed(
    operation: Operation,
    path: string,
    method: string,
    response: ApiResponse,
  ): void {
    const status = String(response.status);
    const described = operation.responses[status];
    assert.ok(
      described,
      `${method} ${path} does not describe ${status}: ${response.text.slice(0, 300)}`,
    );
    if ("$ref" in described) {
      assertProblem(response, nameOf(described));
      return;
    }
    assertHeaders(response, described);
    const type = typeOf(response);
    assert.ok(described.content?.[type], `${method} ${path} ${status} does not describe ${type}`);
    if (type !== "application/json") return;
    assertBody(
      validator("paths", path, method, "responses", status, "content", type, "schema"),
      response,
    );
  }

  /** An error as the description defines it for its status, also where no operation has the path. */
  function assertProblem(response: ApiResponse, name = `Problem${response.status}`): void {
    const described = document.components.responses[name];
    assert.ok(described, `${name} is not described`);
    assertHeaders(response, described);
    const type = typeOf(response);
    assert.ok(described.content?.[type], `${name} does not describe ${type}`);
    assertBody(validator("components", "responses", name, "content", type, "schema"), response);
    assert.equal(response.json().requestId, response.header("x-request-id"));
  }

  /** Whether the description allows this body of a request. */
  /** `by format`: only the format of a text is not as its RFC has it. A format is a note, and URLs are read by another standard. */
  function allowsBody(path: string, value: unknown): boolean | "by format" {
    const part = ["requestBody", "content", "application/json", "schema"];
    const validate = validator("paths", path, "post", ...part);
    if (validate(value)) return true;
    return validate.errors?.every(({ keyword }) => keyword === "format") === true && "by format";
  }

  return { document, assertDescribed, assertProblem, allowsBody };
}

const nameOf = ({ $ref }: Reference) => $ref.slice($ref.lastIndexOf("/") + 1);
const typeOf = (response: ApiResponse) =>
  (response.header("content-type") ?? "").split(";")[0] ?? "";
