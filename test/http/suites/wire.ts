import assert from "node:assert/strict";
import { TOOLS } from "#tools/registry.ts";
import { assertProblem, assertResponse, createCaller, type Sentence } from "../test-api.ts";

/** Headers, media types and pages: what surrounds every response on the wire. */
export function wireSuite(sentence: Sentence) {
  requestIdSentences(sentence);
  callerSentences(sentence);
  corsSentences(sentence);
  negotiationSentences(sentence);
  pageSentences(sentence);
  compressionSentences(sentence);
}

const HASH = "/api/v1/hash";

function requestIdSentences(sentence: Sentence) {
  sentence(
    "a request id of the client is returned if it is well-formed, and replaced if not",
    async (service) => {
      const caller = await createCaller(service);
      for (const id of ["a", "order:4711/x=1.2+3-4_5", "x".repeat(128)]) {
        const headers = { "X-Request-Id": id };
        const good = await caller.call("hash", { text: "a" }, headers);
        assert.equal(good.header("x-request-id"), id);
        const rejected = await service.send(HASH, { method: "POST", headers });
        assert.equal(assertProblem(rejected, "missing_key").requestId, id);
        assert.equal((await service.send("/nowhere", { headers })).header("x-request-id"), id);
      }
      const ids = new Set<string | null>();
      const bad = ["", "a b", "ü", "<script>", 'a"b', "x".repeat(129), "a,b"];
      for (const id of bad) {
        const response = await caller.call("hash", { text: "a" }, { "X-Request-Id": id });
        ids.add(response.header("x-request-id"));
      }
      ids.add((await caller.call("hash", { text: "a" })).header("x-request-id"));
      assert.equal(ids.size, bad.length + 1, "each is new");
      for (const id of ids) assert.match(id ?? "", /^req_\w+$/);
    },
    { adapter: "values of headers" },
  );
}

function callerSentences(sentence: Sentence) {
  sentence(
    "once the account is known, every response has the headers for credits and rate",
    async (service) => {
      const caller = await createCaller(service, { credits: 7 });
      const q = 2 * service.settings.rateLimit;
      const rows: [tool: string, body: string, status: number, remaining: number][] = [
        ["hash", '{"text":"a"}', 200, 6],
        ["hash", "{", 400, 6],
        ["hash", '{"text":1}', 400, 6],
        ["uuid", " ".repeat(20_000), 413, 6],
        ["hash", `{"text":"${"a".repeat(1_048_577)}"}`, 413, 6],
        ["uuid", "{}", 200, 5],
      ];
      for (const [tool, body, status, remaining] of rows) {
        const response = await caller.post(tool, { body });
        assert.equal(response.status, status, response.text.slice(0, 200));
        assert.equal(response.header("credits-charged"), status === 200 ? "1" : "0");
        assert.equal(response.header("credits-remaining"), String(remaining));
        assert.equal(response.header("ratelimit-policy"), `"account";q=${q};w=2`);
        assert.match(response.header("ratelimit") ?? "", /^"account";r=\d+;t=\d+$/);
      }
    },
  );

  sentence("every response has no-store, Server-Timing and nosniff", async (service) => {
    const caller = await createCaller(service);
    const good = await caller.call("hash", { text: "a" });
    const parts = /^key;dur=.*body;dur=.*tool;dur=.*ledger;dur=.*total;dur=/;
    assert.match(good.header("server-timing") ?? "", parts);
    const wrong = await caller.call("hash", {});
    const [none, health] = [await service.send("/api/v1/none"), await service.send("/healthz")];
    for (const response of [good, wrong, none, health]) {
      assert.equal(response.header("cache-control"), "no-store");
      assert.match(response.header("server-timing") ?? "", /(^|, )total;dur=\d+(\.\d+)?$/);
      assert.equal(response.header("x-content-type-options"), "nosniff");
    }
  });
}

const namesIn = (header: string | null) => (header ?? "").toLowerCase().split(/\s*,\s*/);

/** What a script may read of every response, or what says how the response is sent. */
const SIMPLE = [
  ...["cache-control", "content-type", "content-length", "content-encoding", "vary", "date"],
  ...["connection", "keep-alive", "transfer-encoding", "x-content-type-options"],
];

function corsSentences(sentence: Sentence) {
  sentence(
    "OPTIONS answers the preflight of any origin, without a key and without credentials",
    async (service) => {
      const headers = {
        Origin: "https://a.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
      };
      const names = ["authorization", "content-type", "content-encoding", "idempotency-key"];
      for (const { name: tool } of TOOLS) {
        const response = await service.send(`/api/v1/${tool}`, { method: "OPTIONS", headers });
        assert.deepEqual([response.status, response.text], [204, ""]);
        assert.equal(response.header("access-control-allow-origin"), "*");
        assert.equal(response.header("access-control-allow-credentials"), null);
        const methods = namesIn(response.header("access-control-allow-methods"));
        assert.deepEqual(methods.sort(), ["options", "post"]);
        const allowed = namesIn(response.header("access-control-allow-headers"));
        for (const name of [...names, "x-request-id"]) assert.ok(allowed.includes(name), name);
        assert.ok(Number(response.header("access-control-max-age")) > 0);
      }
    },
    { adapter: "responses without a body" },
  );

  sentence(
    "scripts of any origin may read every header of every response",
    async (service) => {
      const caller = await createCaller(service);
      const headers = { Origin: "https://pages.example" };
      const key = { "Idempotency-Key": "cors", ...headers };
      const responses = [
        await caller.call("uuid", {}, key),
        await caller.call("uuid", {}, key),
        await caller.call("uuid", { count: 0 }, headers),
        await service.send(HASH, { method: "POST", headers }),
        await service.send(HASH, { method: "DELETE", headers }),
      ];
      const own = await caller.call("uuid", {});
      assert.equal(own.header("access-control-allow-origin"), "*");
      assert.equal(own.header("access-control-expose-headers"), null, "without an Origin");
      for (const response of responses) {
        assert.equal(response.header("access-control-allow-origin"), "*");
        const exposed = namesIn(response.header("access-control-expose-headers"));
        for (const name of response.headers.keys()) {
          const isReadable = name.startsWith("access-control-") || SIMPLE.includes(name);
          assert.ok(isReadable || exposed.includes(name), `${name} is not exposed`);
        }
      }
    },
    { adapter: "headers that the server adds" },
  );
}

function negotiationSentences(sentence: Sentence) {
  sentence(
    "an error is application/json for a client that accepts that and not problem details",
    async (service) => {
      const problem = "application/problem+json";
      const json = "application/json";
      const rows: [accept: string | null, type: string][] = [
        [null, problem],
        ["*/*", problem],
        ["application/*", problem],
        ["text/html", problem],
        [problem, problem],
        [json, json],
        ["Application/JSON; charset=utf-8", json],
        [`${json}, ${problem}`, problem],
        [`${json};q=1, ${problem};q=0.5`, problem],
        [`text/html, ${json};q=0.9, */*;q=0.1`, json],
      ];
      for (const [accept, type] of rows) {
        const headers: Record<string, string> = accept === null ? {} : { Accept: accept };
        const post = (path: string) => service.send(path, { method: "POST", headers });
        assertProblem(await post(HASH), "missing_key", type);
        assertProblem(await post("/api/v1/none"), "not_found", type);
      }
    },
  );
}

function pageSentences(sentence: Sentence) {
  sentence(
    "an unknown page is a 404 page, an unknown path under /api/ a problem",
    async (service) => {
      const page = await service.send("/nowhere/at-all?x=%3Cscript%3Ealert(1)%3C/script%3E");
      assert.equal(page.status, 404);
      assert.equal(page.header("content-type"), "text/html; charset=utf-8");
      assert.match(page.text, /^<!doctype html>/i);
      assert.ok(!page.text.includes("alert(1)"));
      assert.ok(page.header("content-security-policy"));
      assertProblem(await service.send("/api/nowhere"), "not_found");
      assertProblem(await service.send("/nowhere", { method: "POST" }), "not_found");
    },
  );

  sentence(
    "HEAD has the status and the headers of GET, and no body",
    async (service) => {
      const pages = ["/", "/docs", "/docs/errors", "/openapi.json", "/nowhere"];
      for (const path of [...pages, "/healthz", "/readyz", "/api/v1/none"]) {
        const [get, head] = [
          await service.send(path),
          await service.send(path, { method: "HEAD" }),
        ];
        assert.deepEqual([head.status, head.text], [get.status, ""], path);
        assert.equal(head.header("content-type"), get.header("content-type"), path);
      }
      const tool = await service.send(HASH, { method: "HEAD" });
      assert.deepEqual([tool.status, tool.text, tool.header("allow")], [405, "", "POST, OPTIONS"]);
    },
    { adapter: "HEAD" },
  );

  sentence("the operator's paths respond without a key", async (service) => {
    for (const path of ["/healthz", "/readyz", "/readyz", "/readyz"])
      assert.deepEqual((await service.send(path)).json(), { ok: true });
    const description = await service.send("/openapi.json");
    assert.equal(description.header("content-type"), "application/json");
    assert.equal(description.json().openapi, "3.1.0");
  });

  sentence("a query does not change the path, and never authenticates", async (service) => {
    const caller = await createCaller(service);
    const response = await caller.post("hash?algorithm=/api/v1/echo#y", { body: '{"text":"a"}' });
    assert.equal(assertProblem(response, "invalid_request").errors[0].parameter, "algorithm");
  });
}

function compressionSentences(sentence: Sentence) {
  sentence(
    "responses over some KB are compressed for those who accept it",
    async (service) => {
      const caller = await createCaller(service);
      const rows: [accept: string, encoding: string | null][] = [
        ["gzip", "gzip"],
        ["br", "br"],
        ["gzip, br", "br"],
        ["gzip;q=1, br;q=0.5", "gzip"],
        ["identity", null],
        ["br;q=0, gzip;q=0", null],
      ];
      for (const [accept, encoding] of rows) {
        const response = await caller.call("uuid", { count: 500 }, { "Accept-Encoding": accept });
        assert.equal(assertResponse(response, 1).uuids.length, 500);
        assert.equal(response.header("content-encoding"), encoding, accept);
        assert.equal(response.header("vary"), "Accept, Accept-Encoding");
      }
      const small = await caller.call("uuid", { count: 1 }, { "Accept-Encoding": "gzip" });
      assert.equal(small.header("content-encoding"), null);
    },
    { needs: "compress", adapter: "compression" },
  );
}
