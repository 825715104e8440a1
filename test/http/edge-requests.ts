/** Requests whose responses are compared between runtimes: usual, odd and hostile ones of every tool, and every error. */
import { gzipSync } from "node:zlib";
import type { Tool } from "#tools/define-tool.ts";
import { TOOLS } from "#tools/registry.ts";
import { requestText } from "../../web/tools/request-text.ts";
import { fieldsOf } from "../../web/tools/tool-fields.ts";
import { type Case, casesFor } from "../web/browser-tools-cases.ts";
import type { Sent } from "./test-api.ts";

/** Who calls: one account each, on either side. */
export const CALLERS = [
  ...["good", "first", "broke", "suspended", "revoked", "closed"],
  ...["made_up", "misspelt", "none"],
] as const;

export type Asked = {
  caller: (typeof CALLERS)[number];
  path: string;
  method: string;
  headers: Record<string, string>;
  body: Sent["body"];
};

const JSON_TYPE = { "Content-Type": "application/json" };

export function toolRequests(tool: Tool): Asked[] {
  return casesFor(tool).map((asked) => request(tool.name, bodyOf(tool, asked)));
}

const request = (
  tool: string,
  body: Sent["body"],
  headers: Record<string, string> = {},
  more: Partial<Asked> = {},
): Asked => ({
  caller: "good",
  path: `/api/v1/${tool}`,
  method: "POST",
  headers: { ...JSON_TYPE, ...headers },
  body,
  ...more,
});

function bodyOf(tool: Tool, asked: Case): Uint8Array {
  if ("base64" in asked) return Buffer.from(asked.base64, "base64");
  if ("before" in asked)
    return Buffer.from(asked.before + asked.piece.repeat(asked.times) + asked.after);
  return Buffer.from(requestText(fieldsOf(tool), asked.form as never));
}

/** The first good body of each tool. */
const GOOD: Record<string, string> = Object.fromEntries(
  TOOLS.map(({ name, examples }) => [name, JSON.stringify(examples[0]?.request)]),
);

/** What does not hang on the tool's input: callers, addresses, headers, repeats. */
export function otherRequests(): Asked[] {
  return [...callerRequests(), ...addressRequests(), ...headerRequests(), ...repeatRequests()];
}

function callerRequests(): Asked[] {
  const bodies = ['{"text":"a"}', "{", '{"text":1}', " ".repeat(70_000)];
  const of = (caller: Asked["caller"]) =>
    bodies.flatMap((body) => [
      request("hash", body, {}, { caller }),
      request("hash", body, { "Idempotency-Key": "a key" }, { caller }),
    ]);
  return [
    ...CALLERS.flatMap(of),
    request("uuid", undefined, { Authorization: "Basic dTpw" }, { caller: "none" }),
    request("uuid", undefined, { Authorization: "Bearer" }, { caller: "none" }),
    request("uuid", undefined, { Authorization: "Bearer tb_ü" }, { caller: "none" }),
  ];
}

function addressRequests(): Asked[] {
  const paths = ["/api/v1/none", "/api/v1/hash/", "/api/", "/api/v1/%68ash", "/api/v1/hash%00"];
  const methods = ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"];
  return [
    ...paths.map((path) => request("hash", '{"text":"a"}', {}, { path })),
    ...methods.map((method) => {
      const body = method === "GET" || method === "HEAD" ? undefined : '{"text":"a"}';
      return request("hash", body, {}, { method });
    }),
    ...["/healthz", "/health", "/readyz"].map((path) =>
      request("", undefined, {}, { path, method: "GET", caller: "none" }),
    ),
  ];
}

function headerRequests(): Asked[] {
  const zipped = gzipSync('{"text":"a"}');
  const bomb = gzipSync(`{"text":"${"a".repeat(7_000_000)}"}`);
  const gzip = { "Content-Encoding": "gzip" };
  const types = ["text/plain", "application/xml", "application/problem+json", "x", ""];
  const accepts = ["application/json", "application/json, application/problem+json;q=0.5", "*/*"];
  return [
    ...[zipped, bomb, zipped.subarray(0, 12), Buffer.from("{}")].map((body) =>
      request("hash", body, gzip),
    ),
    request("hash", zipped, { "Content-Encoding": "br" }),
    request("hash", '{"text":"a"}', { "Content-Encoding": "identity" }),
    ...types.flatMap((type) =>
      ["{", '{"text":"a"}'].map((body) => request("hash", body, { "Content-Type": type })),
    ),
    ...accepts.flatMap((Accept) =>
      ["{", '{"text":"a"}'].map((body) => request("hash", body, { Accept })),
    ),
    ...["", "a b", "x".repeat(256), '"quoted"'].map((key) =>
      request("uuid", "{}", { "Idempotency-Key": key }),
    ),
    request("hash", '{"text":"a"}', { Origin: "https://a.example" }),
  ];
}

/** With an idempotency key: a first call, a repeat, another body, and after an error. */
const repeatRequests = (): Asked[] =>
  TOOLS.flatMap(({ name, verbatim }) => {
    const headers = { "Idempotency-Key": `once-${name}` };
    const wrong = verbatim ? "[1,]" : '{"nothing":1}';
    return [wrong, GOOD[name], GOOD[name], `${GOOD[name]} `].map((body) =>
      request(name, body, headers),
    );
  });
