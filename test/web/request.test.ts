import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { after, beforeEach, test } from "node:test";
import { bodyOf, serveHttp } from "../support/http-server.ts";

/** The requests of the dashboard, against a real server: what is sent, and what each kind of response becomes. */

type RequestError = {
  name: string;
  status: number;
  code: string;
  detail: string;
  requestId: string | null;
  retryAfter: number | null;
};
type Web = {
  request(method: string, path: string, body?: unknown): Promise<unknown>;
  connection: {
    get(): { offline: boolean; signedOut: boolean };
    set(change: { offline?: boolean; signedOut?: boolean }): void;
  };
  safeNext(next: unknown): string;
  pollUntilBack(query: { state: { error: unknown } }): number | false;
  sendCall(call: object, signal: AbortSignal): Promise<{ status: number; body: string }>;
  createCallKeys(): {
    keyOf(call: object): string;
    end(response: object): void;
  };
};

let handle: (request: IncomingMessage, response: ServerResponse, body: string) => void;
const origin = await serveHttp({ after }, async (request, response) =>
  handle(request, response, await bodyOf(request)),
);
// Globals of a page that Node lacks. The base is an absolute URL, because Node has no page to resolve a path against.
const content = JSON.stringify({ base: `${origin}/sub`, tools: [] });
Object.assign(globalThis, {
  document: { querySelector: () => ({ content }) },
  location: { origin },
});
// Dynamic, because these files need the types of the DOM.
const load = (file: string) => import(new URL(`../../web/${file}`, import.meta.url).href);
const web: Web = {
  ...(await load("request.ts")),
  ...(await load("connection.ts")),
  ...(await load("addresses.ts")),
  ...(await load("queries.ts")),
  ...(await load("tools/send-call.ts")),
};

beforeEach(() => web.connection.set({ offline: false, signedOut: false }));

function reply(status: number, body: unknown, headers: Record<string, string> = {}) {
  handle = (_, response) => {
    response.writeHead(status, { connection: "close", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}

async function requestError(): Promise<RequestError> {
  const error = await web.request("GET", "/dashboard/home").catch((cause: unknown) => cause);
  assert.ok(error instanceof Error);
  return error as unknown as RequestError;
}

test("sends JSON to a path below the base and returns the parsed response", async () => {
  const received: unknown[] = [];
  handle = (request, response, body) => {
    received.push(request.method, request.url, request.headers["content-type"], body);
    response.end('{"key":{"id":"key_1"}}');
  };
  const created = await web.request("POST", "/dashboard/keys", { label: "production" });
  assert.deepEqual(created, { key: { id: "key_1" } });
  assert.deepEqual(received, [
    "POST",
    "/sub/dashboard/keys",
    "application/json",
    '{"label":"production"}',
  ]);
});

test("an error of the service keeps its code, detail and request id", async () => {
  reply(403, { ok: false, code: "cross_site", detail: "Reload the page.", requestId: "req_1" });
  const { name, status, code, detail, requestId } = await requestError();
  assert.deepEqual([name, status, code], ["ProblemDetails", 403, "cross_site"]);
  assert.deepEqual([detail, requestId], ["Reload the page.", "req_1"]);
});

test("an ended session is reported to the frame, in each form that a server sends", async () => {
  for (const body of [
    { code: "signed_out", detail: "x" },
    { code: "UNAUTHORIZED", message: "Unauthorized" },
    "",
  ]) {
    web.connection.set({ signedOut: false });
    reply(401, body);
    assert.equal((await requestError()).code, "signed_out");
    assert.equal(web.connection.get().signedOut, true);
  }
});

test("too many requests say how long to wait", async () => {
  reply(429, { message: "Too many requests." }, { "x-retry-after": "17" });
  const { code, retryAfter, detail } = await requestError();
  assert.deepEqual([code, retryAfter], ["too_many_requests", 17]);
  assert.match(detail, /Wait a moment/);
});

test("an error response of a proxy gets a plain message", async () => {
  reply(500, "<html>nginx</html>", { "x-request-id": "req_7" });
  const { code, detail, requestId } = await requestError();
  assert.deepEqual([code, requestId], ["internal", "req_7"]);
  assert.match(detail, /Try again in a moment/);
});

test("a missing response and a gateway error mean offline until a response arrives", async () => {
  handle = (_, response) => response.destroy();
  assert.equal((await requestError()).name, "OfflineError");
  assert.equal(web.connection.get().offline, true);
  reply(200, { fine: true });
  await web.request("GET", "/dashboard/home");
  assert.equal(web.connection.get().offline, false);
  reply(502, "Bad gateway");
  assert.equal((await requestError()).name, "OfflineError");
  assert.equal(web.connection.get().offline, true);
});

test("what is no JSON object, such as the page of a captive portal, means offline", async () => {
  for (const body of ["<html>Welcome to our hotel</html>", "", "null", '"OK"', "[]"]) {
    web.connection.set({ offline: false });
    reply(200, body);
    assert.equal((await requestError()).name, "OfflineError", body);
    assert.equal(web.connection.get().offline, true, body);
  }
});

test("what comes in place of the API's response is no result of a tool", async () => {
  const call = { body: new Uint8Array(), contentType: "application/json", query: "" };
  const order = { tool: "uuid", base: origin, key: "tb_key", call };
  const send = () => web.sendCall(order, new AbortController().signal);
  reply(200, "<html>Welcome to our hotel</html>");
  await assert.rejects(send, /Something else responded in place of the API/);
  reply(200, { ok: true }, { "X-Request-Id": "req_1" });
  assert.equal((await send()).body, '{"ok":true}');
});

test("a call that changes something has its key until the API has decided about it, so that a repeat does nothing twice", async () => {
  const call = { body: new Uint8Array(), contentType: "application/json", query: "" };
  const keys = web.createCallKeys();
  const order = { tool: "send", base: origin, key: "tb_key", call };
  const send = (more: object) =>
    web.sendCall({ ...order, ...more }, new AbortController().signal).then(keys.end);
  handle = (request) => request.socket.destroy();
  const first = keys.keyOf(call);
  await assert.rejects(
    send({ idempotencyKey: first }),
    /send the call again: it does its work once/,
  );
  await assert.rejects(send({}), /may have been charged: check Credits before you send it again/);
  await assert.rejects(send({ isQuote: true }), /Then check the price again/);
  assert.equal(keys.keyOf(call), first);
  const ofApi = { "X-Request-Id": "req_1" };
  for (const [status, code, headers] of [
    [503, "unavailable", ofApi],
    [409, "idempotency_in_progress", ofApi],
    [429, "rate_limited", ofApi],
    [401, "invalid_key", ofApi],
    [502, "the words of a proxy", {}],
  ] as const) {
    reply(status, { code }, headers);
    await send({ idempotencyKey: first });
    assert.equal(keys.keyOf(call), first, code);
  }
  for (const [status, code] of [
    [200, "ok"],
    [409, "outcome_unknown"],
    [400, "invalid_request"],
  ] as const) {
    const key = keys.keyOf(call);
    reply(status, { code }, ofApi);
    await send({ idempotencyKey: key });
    assert.notEqual(keys.keyOf(call), key);
  }
  const key = keys.keyOf(call);
  assert.notEqual(keys.keyOf({ ...call }), key, "another input is another call");
});

test("signing in leads to a page of this service, never to another site", () => {
  assert.equal(web.safeNext("/usage?from=2026-11-01#table"), "/usage?from=2026-11-01#table");
  for (const elsewhere of [
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "https://evil.example/home",
    "javascript:alert(1)",
    "home",
    "/sign-in?next=/home",
    "/sign-in/link",
    "",
    undefined,
    7,
  ]) {
    assert.equal(web.safeNext(elsewhere), "/home", String(elsewhere));
  }
});

test("a page polls while the service is unavailable, and not after an error that would stay", async () => {
  for (const [status, polls] of [
    [503, true],
    [502, true],
    [500, false],
    [403, false],
  ] as const) {
    reply(status, { code: "x", detail: "Y." });
    const error = await requestError();
    assert.equal(web.pollUntilBack({ state: { error } }) !== false, polls, String(status));
  }
  assert.equal(web.pollUntilBack({ state: { error: null } }), false);
});
