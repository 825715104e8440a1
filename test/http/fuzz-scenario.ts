import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { FREE_CALL_CREDITS_DEFAULT } from "#limits.ts";
import fc from "../support/properties.ts";
import type { Description } from "./description.ts";
import { bodyArbitrary } from "./fuzz-bodies.ts";
import { type FuzzRequest, judge, type Verdict } from "./fuzz-judge.ts";
import {
  type ApiResponse,
  type Caller,
  createCaller,
  type Sent,
  type TestService,
} from "./test-api.ts";

/** A scenario of the fuzz: a few requests of one caller, so that repeats, spent credits and used keys come about. */
export const STATES = [
  "good",
  "first",
  "poor",
  "broke",
  "suspended",
  "revoked",
  "closed",
  "hasty",
  "no_key",
  "no_ledger",
] as const;
export type State = (typeof STATES)[number];

/** Of a caller who is let in nowhere: what every well-addressed call is answered. */
const REFUSED: Partial<Record<State, number>> = {
  suspended: 403,
  revoked: 401,
  closed: 401,
  no_key: 401,
  hasty: 429,
  no_ledger: 503,
};

const CONTENT_TYPES = [
  ...[null, "application/json", "application/json; charset=utf-8", "text/plain"],
  ...["application/x-www-form-urlencoded", "application/xml", "application/octet-stream"],
  "text/markdown",
];
const ACCEPTS = [
  ...[null, "*/*", "application/json", "application/problem+json"],
  ...["text/html, application/json;q=0.9", "text/plain", "image/*"],
];
const IDEMPOTENCY_KEYS = [
  ...[null, null, null, null, "a", "b", "~".repeat(255), "x".repeat(256), "a b", ""],
];
const REQUEST_IDS = [null, null, "req-1", "not a good one", "x".repeat(129)];

export function requestArbitrary({ document }: Description): fc.Arbitrary<FuzzRequest> {
  const paths = Object.keys(document.paths).filter((path) => document.paths[path]?.post);
  const requests = paths.map((path) => {
    const tool = path.slice(path.lastIndexOf("/") + 1);
    const operation = document.paths[path]?.post;
    const reference = operation?.requestBody?.content["application/json"]?.schema.$ref ?? "";
    const schema =
      document.components.schemas[reference.slice(reference.lastIndexOf("/") + 1)] ?? {};
    return fc.record({
      tool: fc.constant(tool),
      path: fc.oneof(
        { weight: 30, arbitrary: fc.constant(path) },
        fc.constantFrom(`${path}/`, `${path}x`, "/api/v1/none"),
      ),
      method: fc.oneof(
        { weight: 30, arbitrary: fc.constant("POST") },
        fc.constantFrom("GET", "PUT", "DELETE", "OPTIONS", "HEAD"),
      ),
      body: bodyArbitrary(schema, operation?.["x-limits"]?.bodyBytesMax ?? 0),
      encoding: fc.oneof(
        { weight: 8, arbitrary: fc.constant("plain" as const) },
        fc.constantFrom("gzip", "gzip", "identity", "lie", "br"),
      ),
      contentType: fc.constantFrom(...CONTENT_TYPES),
      accept: fc.constantFrom(...ACCEPTS),
      idempotencyKey: fc.constantFrom(...IDEMPOTENCY_KEYS),
      requestId: fc.constantFrom(...REQUEST_IDS),
    });
  });
  return fc.oneof(...requests) as fc.Arbitrary<FuzzRequest>;
}

function asSent(request: FuzzRequest, key: string | null): Sent & { body: Uint8Array | undefined } {
  const { method, body, encoding, contentType, accept, idempotencyKey, requestId } = request;
  const headers: [string, string | null][] = [
    ["Authorization", key === null ? null : `Bearer ${key}`],
    ["Content-Type", contentType],
    ["Content-Encoding", encoding === "plain" ? null : encoding === "lie" ? "gzip" : encoding],
    ["Accept", accept],
    ["Idempotency-Key", idempotencyKey],
    ["X-Request-Id", requestId],
  ];
  const given = headers.filter((pair): pair is [string, string] => pair[1] !== null);
  if (method === "GET" || method === "HEAD") return { method, headers: given, body: undefined };
  return { method, headers: given, body: encoding === "gzip" ? gzipSync(body ?? "") : body };
}

async function createCallerIn(service: TestService, state: State): Promise<Caller> {
  const credits = { poor: 2, broke: 0 }[state as string] ?? 50;
  const caller = await createCaller(service, {
    credits,
    freeCall: state === "first" ? "open" : "withheld",
  });
  const order = { account: caller.account, now: await service.now() };
  if (state === "suspended") await service.ledger.changeAccount({ ...order, state: "suspended" });
  if (state === "closed") await service.ledger.changeAccount({ ...order, state: "closed" });
  if (state === "revoked") await service.ledger.revokeKey({ ...order, id: caller.keyId });
  while (state === "hasty" && (await caller.post("uuid", { body: "{" })).status !== 429);
  await service.trouble(state === "no_ledger" ? "refuse_all" : "none");
  return caller;
}

/** What the whole request deserves, its address and its caller included. */
function expect(
  description: Description,
  request: FuzzRequest,
  sentBytes: number,
  state: State,
  balance: number,
): Verdict {
  const { path, method, idempotencyKey } = request;
  if (description.document.paths[path] === undefined)
    return { allowed: [404], why: "no such path" };
  if (method === "OPTIONS") return { allowed: [204], why: "a preflight" };
  if (method !== "POST") return { allowed: [405], why: "another method" };
  const refused = REFUSED[state];
  if (refused !== undefined) return { allowed: [refused], why: `the caller is ${state}` };
  const { credits: price = 0 } = (description.document.paths[path]?.post?.["x-price"] ?? {}) as {
    credits?: number;
  };
  const isFree = state === "first" && balance === 50 && price <= FREE_CALL_CREDITS_DEFAULT;
  const isShort = balance < price && !isFree;
  if (isShort && idempotencyKey === null) return { allowed: [402], why: "too few credits" };
  const own = judge(description, request, sentBytes);
  // Only a key that was used in the scenario puts off the 402.
  if (!own.allowed.includes(200) && isShort) return { ...own, allowed: [...own.allowed, 402] };
  if (!own.allowed.includes(200) || idempotencyKey === null) return own;
  // The key may have been used in the scenario: with the same body it replays, with another it is refused.
  return {
    ...own,
    allowed: [...own.allowed, 400, ...(isShort ? [402] : [])],
    why: `${own.why}, with a key`,
  };
}

/** Their descriptions say something in words that no schema can say. */
const SAID_IN_WORDS = ["hash", "qr-code"];

function assertResponded(
  description: Description,
  request: FuzzRequest,
  expected: Verdict,
  response: ApiResponse,
) {
  const told = `${request.method} ${request.path}: ${expected.why}, so ${expected.allowed}, but ${response.status} ${response.text.slice(0, 300)}`;
  assert.ok(expected.allowed.includes(response.status), told);
  const isGood =
    expected.allowed.includes(200) && !expected.isOpen && !SAID_IN_WORDS.includes(request.tool);
  if (isGood && response.status === 400)
    assert.equal(response.json().code, "idempotency_key_reused", told);
  const operation = description.document.paths[request.path]?.post;
  if (request.method === "HEAD" || request.method === "OPTIONS")
    assert.ok(response.status !== 204 || response.text === "");
  else if (operation !== undefined && request.method === "POST")
    description.assertDescribed(operation, request.path, "post", response);
  else description.assertProblem(response);
  if (response.status !== 200) return;
  for (const name of ["credits-charged", "credits-remaining", "ratelimit", "ratelimit-policy"])
    assert.ok(response.headers.has(name), name);
}

/** Sends the requests of one caller and holds every answer against the description; `seen` is told what came about. */
export async function playScenario(
  service: TestService,
  description: Description,
  state: State,
  requests: FuzzRequest[],
  seen: (name: string) => void,
): Promise<void> {
  const caller = await createCallerIn(service, state);
  let balance = await caller.balance();
  for (const request of requests) {
    const sent = asSent(request, state === "no_key" ? null : caller.key);
    const expected = expect(description, request, sent.body?.byteLength ?? 0, state, balance);
    const response = await service.send(request.path, sent);
    assertResponded(description, request, expected, response);
    const left = await caller.balance();
    const charged = Number(response.header("credits-charged") ?? 0);
    assert.equal(balance - left, charged, "what was told is what was charged");
    if (response.status !== 200) assert.equal(left, balance);
    balance = left;
    seen(
      `${response.status} ${response.status < 300 ? "" : (JSON.parse(response.text || "{}").code ?? "")}`,
    );
  }
  await service.trouble("none");
}
