import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, test } from "node:test";

/** How the pages ask the service, against a real server: what is sent, and what every kind of answer becomes. */

type Refused = {
  name: string;
  status: number;
  code: string;
  detail: string;
  requestId: string | null;
  retryAfter: number | null;
};
type Web = {
  ask(method: string, path: string, body?: unknown): Promise<unknown>;
  connection: {
    get(): { offline: boolean; signedOut: boolean };
    set(change: { offline?: boolean; signedOut?: boolean }): void;
  };
  safeNext(next: unknown): string;
};

let web: Web;
let result: (request: IncomingMessage, response: ServerResponse, body: string) => void;
const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  result(request, response, Buffer.concat(chunks).toString());
});

before(async () => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // What a page has and this process has not. Requests of a page may be relative; those of this process may not.
  const content = `${origin}/sub/`;
  const document = { querySelector: () => ({ content }) };
  Object.assign(globalThis, { document, location: { origin } });
  // By address, because the types of a browser are not those of this folder.
  const load = (file: string) => import(new URL(`../../web/${file}`, import.meta.url).href);
  web = {
    ...(await load("request.ts")),
    ...(await load("connection.ts")),
    ...(await load("base.ts")),
  };
});

beforeEach(() => web.connection.set({ offline: false, signedOut: false }));
after(() => server.close());

function reply(status: number, body: unknown, headers: Record<string, string> = {}) {
  result = (_, response) => {
    response.writeHead(status, { connection: "close", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}

async function refused(): Promise<Refused> {
  const problem = await web.ask("GET", "/dashboard/home").catch((error: unknown) => error);
  assert.ok(problem instanceof Error);
  return problem as unknown as Refused;
}

test("a question goes below the base, as JSON, and its answer comes back", async () => {
  const seen: unknown[] = [];
  result = (request, response, body) => {
    seen.push(request.method, request.url, request.headers["content-type"], body);
    response.end('{"key":{"id":"key_1"}}');
  };
  const made = await web.ask("POST", "/dashboard/keys", { label: "production" });
  assert.deepEqual(made, { key: { id: "key_1" } });
  assert.deepEqual(seen, [
    "POST",
    "/sub/dashboard/keys",
    "application/json",
    '{"label":"production"}',
  ]);
});

test("a refusal of ours keeps its code, its sentence and its request id", async () => {
  reply(403, { ok: false, code: "cross_site", detail: "Reload the page.", requestId: "req_1" });
  const { name, status, code, detail, requestId } = await refused();
  assert.deepEqual(
    { name, status, code, detail, requestId },
    {
      name: "Refusal",
      status: 403,
      code: "cross_site",
      detail: "Reload the page.",
      requestId: "req_1",
    },
  );
});

test("an unknown address and a wrong password are refused in the same words", async () => {
  reply(401, { code: "INVALID_EMAIL_OR_PASSWORD", message: "Invalid email or password" });
  const wrong = await refused();
  reply(401, { code: "USER_NOT_FOUND", message: "User not found" });
  const unknown = await refused();
  assert.equal(wrong.detail, unknown.detail);
  assert.match(wrong.detail, /do not belong together/);
  assert.equal(web.connection.get().signedOut, false, "nobody was signed in");
});

test("a session that has ended is told to the frame, whoever of the two says so", async () => {
  for (const body of [
    { code: "signed_out", detail: "x" },
    { code: "UNAUTHORIZED", message: "Unauthorized" },
    "",
  ]) {
    web.connection.set({ signedOut: false });
    reply(401, body);
    assert.equal((await refused()).code, "signed_out");
    assert.equal(web.connection.get().signedOut, true);
  }
});

test("too many requests say how long to wait", async () => {
  reply(429, { message: "Too many requests." }, { "x-retry-after": "17" });
  const { code, retryAfter, detail } = await refused();
  assert.deepEqual([code, retryAfter], ["too_many_requests", 17]);
  assert.match(detail, /Wait a moment/);
});

test("an answer of someone on the way is a refusal in plain words", async () => {
  reply(500, "<html>nginx</html>", { "x-request-id": "req_7" });
  const { code, detail, requestId } = await refused();
  assert.deepEqual([code, requestId], ["internal", "req_7"]);
  assert.match(detail, /Try again in a moment/);
});

test("no answer, or that of a gateway without a service, is offline until one comes", async () => {
  result = (_, response) => response.destroy();
  assert.equal((await refused()).name, "OfflineError");
  assert.equal(web.connection.get().offline, true);
  reply(200, { fine: true });
  await web.ask("GET", "/dashboard/home");
  assert.equal(web.connection.get().offline, false);
  reply(502, "Bad gateway");
  assert.equal((await refused()).name, "OfflineError");
  assert.equal(web.connection.get().offline, true);
});

test("a page of a captive portal is no answer", async () => {
  reply(200, "<html>Welcome to our hotel</html>");
  assert.equal((await refused()).name, "OfflineError");
  assert.equal(web.connection.get().offline, true);
});

test("after signing in one goes to a page of this service, never elsewhere", () => {
  assert.equal(web.safeNext("/usage?from=2026-11-01#table"), "/usage?from=2026-11-01#table");
  for (const elsewhere of [
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "https://evil.example/home",
    "javascript:alert(1)",
    "home",
    "/sign-in?next=/home",
    "/sign-up",
    "",
    undefined,
    7,
  ]) {
    assert.equal(web.safeNext(elsewhere), "/home", String(elsewhere));
  }
});
