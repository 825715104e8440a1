/** Holds answers against the description that the service gives of itself. */
import assert from "node:assert/strict";
import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type {
  Answer as Described,
  Header,
  OpenApiDocument,
  Operation,
  Reference,
} from "#api/openapi/document.ts";
import type { Answer } from "./test-service.ts";

/** Headers of the transport and of HTTP at large, which a description of an API does not name. */
const OF_HTTP = [
  "content-type",
  "content-length",
  "content-encoding",
  "vary",
  "x-content-type-options",
  "connection",
  "keep-alive",
  "date",
  "transfer-encoding",
];

export type Description = ReturnType<typeof createDescription>;

export function createDescription(document: OpenApiDocument) {
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

  function assertBody(validate: ValidateFunction, answer: Answer): void {
    const isValid = validate(answer.json());
    assert.ok(isValid, `${ajv.errorsText(validate.errors)}: ${answer.text.slice(0, 500)}`);
  }

  function assertHeader(name: string, value: string | null, header: Header): void {
    if (value === null) {
      assert.ok(!header.required, `${name} is missing`);
      return;
    }
    const isNumber = header.schema.type === "integer" || header.schema.type === "number";
    const validate = validator("components", "headers", name, "schema");
    assert.ok(validate(isNumber ? Number(value) : value), `${name}: ${value}`);
  }

  function assertHeaders(answer: Answer, described: Described): void {
    const names = Object.keys(described.headers ?? {});
    for (const name of names) {
      assertHeader(name, answer.header(name), document.components.headers[name] as Header);
    }
    const known = new Set([...names.map((name) => name.toLowerCase()), ...OF_HTTP]);
    for (const name of answer.headers.keys())
      assert.ok(known.has(name), `${name} is not described`);
  }

  /** The answer of an operation: its status, its type, its headers and its body are described. */
  function assertDescribed(
    operation: Operation,
    path: string,
    method: string,
    answer: Answer,
  ): void {
    const status = String(answer.status);
    const described = operation.responses[status];
    assert.ok(
      described,
      `${method} ${path} does not describe ${status}: ${answer.text.slice(0, 300)}`,
    );
    if ("$ref" in described) {
      assertRefusal(answer, nameOf(described));
      return;
    }
    assertHeaders(answer, described);
    const type = typeOf(answer);
    assert.ok(described.content?.[type], `${method} ${path} ${status} does not describe ${type}`);
    if (type !== "application/json") return;
    assertBody(
      validator("paths", path, method, "responses", status, "content", type, "schema"),
      answer,
    );
  }

  /** A refusal as the description draws it for its status; by that alone where the address is in no operation. */
  function assertRefusal(answer: Answer, name = `Refusal${answer.status}`): void {
    const described = document.components.responses[name];
    assert.ok(described, `${name} is not described`);
    assertHeaders(answer, described);
    const type = typeOf(answer);
    assert.ok(described.content?.[type], `${name} does not describe ${type}`);
    assertBody(validator("components", "responses", name, "content", type, "schema"), answer);
    assert.equal(answer.json().requestId, answer.header("x-request-id"));
  }

  /** Whether the description allows this body of a request. */
  function allowsBody(path: string, value: unknown): boolean {
    return validator(
      "paths",
      path,
      "post",
      "requestBody",
      "content",
      "application/json",
      "schema",
    )(value);
  }

  return { document, assertDescribed, assertRefusal, allowsBody };
}

const nameOf = ({ $ref }: Reference) => $ref.slice($ref.lastIndexOf("/") + 1);
const typeOf = (answer: Answer) => (answer.header("content-type") ?? "").split(";")[0] ?? "";
