import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import * as z from "zod";
import { openToolFetch } from "#apps/node/tool-fetch.ts";
import { type ForwardDefinition, forward } from "#tools/forward.ts";
import { ownTool } from "#tools/own-tool.ts";
import { hideSecrets } from "#tools/own-tool-context.ts";
import { openChanged } from "../http/in-process.ts";
import { assertProblem, createCaller } from "../http/test-api.ts";
import { freePort } from "../support/ports.ts";
import { openUpstream } from "./upstream.ts";

/** A service in any language as a tool: what of it is passed on, and that no call of it is charged that does not succeed. */

const SECRETS = { TOKEN: "s3cret-value" };

type Definition = Partial<ForwardDefinition> & { path: string };

/** A service with one tool, `wrap`, of price 10, which forwards to a path of the upstream. */
async function openForward(t: TestContext, { path, ...definition }: Definition) {
  const upstream = await openUpstream(t);
  const made = forward({
    ...{ summary: "Forwards.", input: z.looseObject({}), price: 10, url: upstream.base + path },
    ...definition,
  } as ForwardDefinition);
  const tool = ownTool("wrap", made);
  const own = {
    ...{ signal: new AbortController().signal, secrets: SECRETS, log() {} },
    fetch: openToolFetch(tool.hosts),
  };
  return { ...upstream, service: await openChanged(t, { tools: [tool], own }) };
}

const key = (name: string) => ({ "Idempotency-Key": name });

test("the request has the input as its body, the secrets and a key of the account", async (t) => {
  const { service, received } = await openForward(t, {
    path: "/pets/{id}",
    secrets: ["TOKEN"],
    headers: (secrets) => ({ Authorization: `Bearer ${secrets["TOKEN"]}` }),
  });
  const caller = await createCaller(service);
  const sent = await caller.call("wrap", { id: "a/b c", n: [1], text: "ä" }, key("one"));
  assert.equal(sent.status, 200);
  assert.equal(sent.header("credits-charged"), "10");
  const [{ method, url, headers, body } = assert.fail()] = received;
  assert.deepEqual(
    [method, url, body, headers["content-type"], headers.authorization],
    ["POST", "/pets/a%2Fb%20c", '{"n":[1],"text":"ä"}', "application/json", "Bearer s3cret-value"],
  );
  assert.match(String(headers["idempotency-key"]), /^acc_\w+\/wrap\/one$/);
  assert.equal(headers["accept-encoding"], "identity");
  const repeat = await caller.call("wrap", { id: "a/b c", n: [1], text: "ä" }, key("one"));
  assert.deepEqual([repeat.status, repeat.header("credits-charged")], [200, "0"]);
  assert.deepEqual(repeat.bytes, sent.bytes);
  assert.equal(received.length, 1);
});

test("an input that is no object is the body as it is, and has no place in a query", async (t) => {
  for (const [input, body] of [
    [z.array(z.int()), [3, 1]],
    [z.string(), "text"],
    [z.nullable(z.int()), null],
  ] as const) {
    const { service, received } = await openForward(t, { path: "/well", input });
    const caller = await createCaller(service);
    assert.equal((await caller.call("wrap", body, key("one"))).status, 200);
    assert.equal(received[0]?.body, JSON.stringify(body));
    for (const more of [{ method: "GET" }, { method: "DELETE" }, { url: "https://a.example/{id}" }])
      assert.throws(
        () =>
          forward({ summary: "", input, price: 1, url: "https://a.example/", ...more } as never),
        /`input` must have fields, because the query or the path of the request has them\./,
      );
  }
});

test("an input that may be an object is sent in a query only if it is one or null", async (t) => {
  const fields = z.object({ q: z.string() });
  for (const [input, body, status] of [
    [z.union([fields, z.array(z.string())]), { q: "a" }, 200],
    [z.union([fields, z.array(z.string())]), ["a"], 400],
    [z.nullable(fields), null, 200],
  ] as const) {
    const { service, received } = await openForward(t, { path: "/well", method: "GET", input });
    const caller = await createCaller(service);
    assert.equal((await caller.call("wrap", body)).status, status);
    assert.equal(received.length, status === 200 ? 1 : 0);
  }
});

test("with GET the fields are query parameters, a repeat needs no key, and the request has the call id", async (t) => {
  const { service, received } = await openForward(t, { path: "/well", method: "GET" });
  const caller = await createCaller(service);
  assert.equal((await caller.call("wrap", { q: "a&b", ids: [1, 2] })).status, 200);
  const [{ method, url, headers, body } = assert.fail()] = received;
  assert.deepEqual([method, url, body], ["GET", "/well?q=a%26b&ids=1&ids=2", ""]);
  assert.match(String(headers["idempotency-key"]), /^call_/);
});

test("the operator's query parameters replace those of the input", async (t) => {
  const { service, received } = await openForward(t, {
    ...{ path: "/well", method: "GET", secrets: ["TOKEN"] },
    query: async ({ TOKEN }) => ({ key: `${TOKEN} &`, mode: "safe" }),
  });
  const caller = await createCaller(service);
  assert.equal((await caller.call("wrap", { q: "a", mode: "open" })).status, 200);
  assert.equal(received[0]?.url, "/well?q=a&key=s3cret-value%20%26&mode=safe");
});

const PASSED: Record<string, [type: string, body: string | number[]]> = {
  "/list": ["application/json", "[1, 2.0]"],
  "/empty": ["application/json", '{"ok":true}'],
  "/image": ["image/png", [137, 80, 78, 71, 0]],
  "/page": ["text/html; charset=latin1", "<b>a</b>"],
  "/untyped": ["application/octet-stream", "a"],
};

for (const [path, [type, body]] of Object.entries(PASSED)) {
  test(`a response of ${type} is passed on byte for byte, to its repeat too (${path})`, async (t) => {
    const { service, received } = await openForward(t, { path });
    const caller = await createCaller(service);
    for (const charged of ["10", "0"]) {
      const sent = await caller.call("wrap", {}, { ...key("one"), Accept: "application/pdf" });
      assert.deepEqual(
        [sent.status, sent.header("content-type"), sent.header("credits-charged")],
        [200, type, charged],
      );
      assert.deepEqual(Buffer.from(sent.bytes), Buffer.from(body as string));
      if (path === "/page")
        assert.equal(sent.header("content-security-policy"), "sandbox; default-src 'none'");
    }
    assert.equal(received.length, 1);
  });
}

/** What the service does, and what the call gets. */
const FAILURES: Record<string, { code: string; more?: Partial<Definition>; says?: RegExp }> = {
  "/wrong": { code: "upstream_rejected", says: /responded with 422: There is no such pet\. The/ },
  "/missing": { code: "upstream_rejected", says: /responded with 404: Gone\. The/ },
  "/denies": { code: "upstream_failed", says: /responded with 401\. The call/ },
  "/forbids": { code: "upstream_failed", says: /responded with 403\./ },
  "/throttles": { code: "upstream_failed", says: /responded with 429\./ },
  "/fails": { code: "upstream_failed", says: /responded with 500\./ },
  "/away": { code: "upstream_failed", says: /responded with 503\./ },
  "/moved": { code: "upstream_failed", says: /responded with 302\./ },
  "/hangs": {
    ...{ code: "tool_timeout", says: /did not finish within 0\.04 s/ },
    more: { timeLimitMs: 40 },
  },
  "/stalls": { code: "tool_timeout", more: { timeLimitMs: 40 } },
  "/floods": { code: "upstream_failed", says: /responded with more than 1048576 bytes/ },
  "/resets": { code: "upstream_failed", says: /broke the connection/ },
  "/breaks": { code: "upstream_failed", says: /broke the connection/ },
  "/lies": { code: "upstream_failed", says: /application\/json that is not JSON/ },
  "/empty": {
    ...{ code: "upstream_failed", says: /responded with nothing in place of JSON/ },
    more: { output: { n: z.number() } },
  },
  "/page": {
    ...{ code: "upstream_failed", says: /text\/html; charset=latin1 in place of JSON/ },
    more: { output: { n: z.number() } },
  },
  "/list": {
    ...{ code: "upstream_failed", says: /sent a response that its description does not allow/ },
    more: { output: { n: z.number() } },
  },
};

for (const [path, { code, more, says = /./ }] of Object.entries(FAILURES)) {
  for (const effect of ["read", "act"] as const) {
    test(`a service that ${path.slice(1)} gives ${code}, and nothing is charged or held (${effect})`, async (t) => {
      const { service, received } = await openForward(t, { path, effect, ...more });
      const caller = await createCaller(service, { credits: 10 });
      for (let call = 0; call < 3; call++) {
        const sent = await caller.call("wrap", {}, key(`one-${call}`));
        const problem = assertProblem(sent, code as "upstream_failed");
        assert.match(problem.detail, says);
        assert.doesNotMatch(JSON.stringify(problem), /stack trace|wrong token/);
      }
      assert.equal(await caller.balance(), 10);
      const again = await caller.call("wrap", {}, key("one-0"));
      if (effect === "act") assertProblem(again, "outcome_unknown");
      else assertProblem(again, code as "upstream_failed");
      const sent = effect === "act" ? 3 : 4;
      // On a busy machine the time of a call may be over before anything is sent.
      if (code === "tool_timeout") assert.ok(received.length <= sent);
      else assert.equal(received.length, sent);
    });
  }
}

test("the problem of a service is passed on, without the secrets that it repeats", async (t) => {
  const { service } = await openForward(t, { path: "/wrong" });
  const caller = await createCaller(service);
  const { upstream } = assertProblem(
    await caller.call("wrap", {}, key("one")),
    "upstream_rejected",
  );
  assert.deepEqual(upstream, {
    status: 422,
    problem: { title: "No", detail: "There is no such pet." },
  });
});

test("a service that cannot be reached has done nothing, so an act may run again under its key", async (t) => {
  const url = `http://127.0.0.1:${await freePort()}/`;
  const { service } = await openForward(t, { path: "/", url });
  const caller = await createCaller(service);
  for (let call = 0; call < 2; call++) {
    const { detail } = assertProblem(await caller.call("wrap", {}, key("one")), "upstream_failed");
    assert.match(detail, /cannot be reached/);
  }
});

test("headers may come as a promise, and as an object of their class", async (t) => {
  for (const made of [
    async (authorization: string) => ({ authorization }),
    (authorization: string) => new Headers({ authorization }) as never,
  ]) {
    const headers: ForwardDefinition["headers"] = ({ TOKEN }) => made(`Bearer ${TOKEN}`);
    const { service, received } = await openForward(t, { path: "/well", headers });
    const caller = await createCaller(service);
    assert.equal((await caller.call("wrap", {}, key("one"))).status, 200);
    assert.equal(received[0]?.headers.authorization, "Bearer s3cret-value");
  }
});

/** What no request can be made of. */
const UNSENDABLE: Record<string, Partial<ForwardDefinition>> = {
  "headers that throw": {
    headers: () => {
      throw new Error("The token s3cret-value is stale");
    },
  },
  "a promise of headers that rejects": { headers: () => Promise.reject("s3cret-value") },
  "headers that are nothing": { headers: () => undefined as never },
  "a header without a value": { headers: () => ({ token: undefined }) as never },
  "a query that throws": {
    query: () => {
      throw new Error("The key s3cret-value is stale");
    },
  },
  "a parameter without a value": { query: () => ({ key: undefined }) as never },
  "a value that no header can have": { headers: ({ TOKEN }) => ({ a: `${TOKEN}\nb` }) },
  "a header that fetch does not send": { headers: () => ({ Expect: "100-continue" }) },
};

for (const [what, definition] of Object.entries(UNSENDABLE)) {
  test(`${what} is a fault of the tool that has sent nothing, so an act may run again under its key`, async (t) => {
    const { service, received } = await openForward(t, { path: "/well", ...definition });
    const caller = await createCaller(service, { credits: 10 });
    for (let call = 0; call < 2; call++) {
      const { callId } = assertProblem(await caller.call("wrap", {}, key("one")), "tool_failed");
      assert.equal(callId, undefined);
    }
    assert.equal(await caller.balance(), 10);
    assert.equal(received.length, 0);
  });
}

test("the log line of a failed request has the reason, and no secret", async (t) => {
  const { base } = await openUpstream(t);
  const causeOf = async (definition: Partial<ForwardDefinition>) => {
    const tool = forward({
      ...{ summary: "Forwards.", input: {}, price: 1, url: `${base}/denies` },
      ...definition,
    } as ForwardDefinition);
    const context = { secrets: SECRETS, idempotencyKey: "", fetch };
    const thrown = await Promise.resolve(tool.run({}, context as never)).catch((error) => error);
    return String((thrown as Error).cause);
  };
  assert.equal(await causeOf({}), 'It responded with 401: {"detail":"A wrong token."}');
  assert.equal(
    await causeOf({ url: `${base}/returns`, query: ({ TOKEN }) => ({ a: `${TOKEN}` }) }),
    "It responded with 302, a redirect to /?a=[TOKEN]",
  );
  assert.equal(hideSecrets("No key-2", { ONE: "key", TWO: "key-2" }), "No [TWO]");
  for (const spelling of ["k' &", "k%27+%26", "k'%20%26", "k%27%20%26", "Basic aycgJg=="])
    assert.match(hideSecrets(spelling, { KEY: "k' &" }), /^(?:Basic )?\[KEY\]$/, spelling);
  for (const definition of Object.values(UNSENDABLE)) {
    const cause = await causeOf(definition);
    assert.ok(cause.length > 4 && !cause.includes("s3cret"), cause);
  }
  assert.match(
    await causeOf({ headers: () => Promise.reject(new Error("No s3cret-value")) }),
    /^Error: No \[TOKEN\]\n/,
  );
});

test("a secret that the service repeats is hidden in any spelling of JSON", async () => {
  const tool = forward({ summary: "Forwards.", input: {}, price: 1, url: "https://example.com/" });
  const body = String.raw`{"error":"No a\/b\"c+\u00fc, nor a\u002fb\"c+ü"}`;
  const headers = { "Content-Type": "application/json" };
  const context = {
    ...{ secrets: { TOKEN: 'a/b"c+ü' }, idempotencyKey: "" },
    fetch: async () => new Response(body, { status: 400, headers }),
  };
  const thrown = await Promise.resolve(tool.run({}, context as never)).catch((error) => error);
  assert.deepEqual((thrown as { problem: unknown }).problem, {
    error: "No [TOKEN], nor [TOKEN]",
  });
});

test("a value that a path cannot have is 400, and is sent nowhere", async (t) => {
  const { service, received } = await openForward(t, { path: "/pets/{id}" });
  const caller = await createCaller(service);
  for (const id of ["", ".", "..", undefined]) {
    const { detail, errors } = assertProblem(
      await caller.call("wrap", { id }, key("one")),
      "invalid_request",
    );
    assert.deepEqual(errors, [{ pointer: "/id", detail }]);
    assert.match(detail, /`id`/);
  }
  const inQuery = await caller.call("wrap?id=..", {}, key("one"));
  const { errors: [{ detail: _, ...place } = assert.fail()] = [] } = assertProblem(
    inQuery,
    "invalid_request",
  );
  assert.deepEqual(place, { parameter: "id" });
  assert.equal(received.length, 0);
});

/** Twenty at once. */
const CALLS = Number(process.env["TEST_FORWARDED_CALLS"] ?? 1_000);

test(`${CALLS} calls of a service that fails in every way charge and hold nothing`, async (t) => {
  const paths = Object.keys(FAILURES).filter((path) => !("output" in (FAILURES[path]?.more ?? {})));
  const hang = (path: string) => FAILURES[path]?.code === "tool_timeout";
  // Only what hangs is cut off early: elsewhere a busy machine would decide.
  for (const [failing, timeLimitMs] of [
    [paths.filter((path) => !hang(path)), 60_000],
    [paths.filter(hang), 100],
  ] as const) {
    const { service } = await openForward(t, {
      ...{ path: "/{path}", timeLimitMs, effect: "read", responseBytesMax: 1_000 },
    });
    const caller = await createCaller(service, { credits: 1_000 });
    const rounds = (CALLS / 20) * (failing.length / paths.length);
    for (let round = 0; round < rounds; round++) {
      const calls = Array.from({ length: 20 }, async (_, at) => {
        const path = failing[(round * 20 + at) % failing.length] ?? "";
        const headers = at % 2 === 0 ? key(`k-${round}-${at}`) : {};
        const { code } = (await caller.call("wrap", { path: path.slice(1) }, headers)).json();
        return { path, code };
      });
      for (const { path, code } of await Promise.all(calls))
        assert.equal(code, FAILURES[path]?.code, path);
    }
    assert.equal(await caller.balance(), 1_000);
    const account = await service.send("/api/v1/account", {
      headers: { Authorization: `Bearer ${caller.key}` },
    });
    assert.equal(account.json().held, 0);
  }
});

test("agents get JSON as text, an image as an image, and other bytes as a file", async (t) => {
  for (const [path, content] of [
    ["/list", { type: "text", text: "[1, 2.0]" }],
    ["/image", { type: "image", data: "iVBORwA=", mimeType: "image/png" }],
    [
      "/untyped",
      {
        type: "resource",
        resource: { uri: "response:///", mimeType: "application/octet-stream", blob: "YQ==" },
      },
    ],
  ] as const) {
    const { service } = await openForward(t, { path, effect: "read" });
    const { key } = await createCaller(service);
    const sent = await service.send("/mcp", {
      method: "POST",
      headers: {
        ...{ Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        Accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
        params: { name: "wrap", arguments: {} },
      }),
    });
    assert.deepEqual(sent.json().result.content, [content], path);
  }
});

test("a part of the path has a field, if the input says which fields there are", () => {
  const made = (input: unknown) => () =>
    forward({ summary: "Forwards.", input, price: 1, url: "https://example.com/{kind}" } as never);
  const closed = [{ other: z.string() }, z.object({ other: z.string() }), z.strictObject({})];
  for (const input of closed)
    assert.throws(made(input), /^TypeError: `url` has \{kind\}, and `input` has no field of that/);
  const some = z.object({ kind: z.string() });
  for (const input of [some, some.shape, z.looseObject({}), z.record(z.string(), z.string())])
    assert.doesNotThrow(made(input));
});

test("the ports that a definition cannot have are those that fetch blocks", async () => {
  const dispatcher = { dispatch: () => assert.fail("let through") };
  const isBlocked = async (url: string) =>
    String((await fetch(url, { dispatcher } as never).catch((error) => error)).cause).endsWith(
      "bad port",
    );
  for (let port = 1; port <= 10_100; port += 1) {
    const url = `http://127.0.0.1:${port}/`;
    const make = () => forward({ summary: "Forwards.", input: {}, price: 1, url });
    if (await isBlocked(url)) assert.throws(make, /which `fetch` never reaches/);
    else assert.doesNotThrow(make, url);
  }
});

test("a wrong URL, method or header is reported with the reason", () => {
  const good = { summary: "Forwards.", input: {}, price: 1, url: "https://example.com/" };
  for (const [wrong, reason] of [
    [{ url: "ftp://example.com/" }, /begins with http/],
    [{ url: "https://{host}/" }, /`url` must be/],
    [{ url: "https://u:p@example.com/" }, /without a password/],
    [{ url: "https://example.com/?a=1" }, /without a query/],
    [{ method: "TRACE" }, /`method` must be one of GET/],
    [{ headers: "no" }, /`headers` must be/],
    [{ headers: { a: 1 } }, /`a` is number/],
    [{ query: "no" }, /`query` must be/],
    [{ query: { a: 1 } }, /`a` is number/],
    [{ headers: { a: "b\nc" } }, /`a`, whose name or value no header can have/],
    [{ effect: "none" }, /^TypeError: `effect` must be "read" or "act" for a tool that forwards/],
    [{ url: "https://example.com:9/" }, /`url` has the port 9, which `fetch` never reaches/],
  ] as const)
    assert.throws(() => forward({ ...good, ...wrong } as never), reason);
});
