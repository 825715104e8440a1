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

function requestIdSentences(sentence: Sentence) {
  sentence(
    "a well-formed request id of the client is returned on every response",
    async (service) => {
      const caller = await createCaller(service);
      for (const id of ["a", "order:4711/x=1.2+3-4_5", "x".repeat(128)]) {
        const headers = { "X-Request-Id": id };
        const good = await caller.call("hash", { text: "a" }, headers);
        assert.equal(good.header("x-request-id"), id);
        const refused = await service.send("/api/v1/hash", { method: "POST", headers });
        assert.equal(assertProblem(refused, "missing_key").requestId, id);
        assert.equal((await service.send("/nowhere", { headers })).header("x-request-id"), id);
      }
    },
  );

  sentence(
    "any other request id is replaced by one of the service's own, new every time",
    async (service) => {
      const caller = await createCaller(service);
      const ids = new Set<string | null>();
      const bad = ["", "a b", "ü", "<script>", 'a"b', "x".repeat(129), "a,b"];
      for (const id of bad) {
        const response = await caller.call("hash", { text: "a" }, { "X-Request-Id": id });
        ids.add(response.header("x-request-id"));
      }
      ids.add((await caller.call("hash", { text: "a" })).header("x-request-id"));
      assert.equal(ids.size, bad.length + 1);
      for (const id of ids) assert.match(id ?? "", /^req_\w+$/);
    },
  );
}

function callerSentences(sentence: Sentence) {
  sentence(
    "once the account is known, every response has the headers for credits and rate",
    async (service) => {
      const caller = await createCaller(service, { credits: 7 });
      const q = 2 * service.settings.rateLimit;
      const rows: [string, string, number, number][] = [
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

  sentence(
    "every answer is not to be stored, has its time in parts, and is taken as what it says it is",
    async (service) => {
      const caller = await createCaller(service);
      const responses = [
        await caller.call("hash", { text: "a" }),
        await caller.call("hash", {}),
        await service.send("/api/v1/none"),
        await service.send("/healthz"),
      ];
      for (const response of responses) {
        assert.equal(response.header("cache-control"), "no-store");
        assert.match(response.header("server-timing") ?? "", /(^|, )total;dur=\d+(\.\d+)?$/);
        assert.equal(response.header("x-content-type-options"), "nosniff");
      }
      assert.match(
        responses[0]?.header("server-timing") ?? "",
        /^key;dur=.*body;dur=.*tool;dur=.*ledger;dur=.*total;dur=/,
      );
    },
  );
}

const NAMES = (header: string | null) =>
  (header ?? "")
    .toLowerCase()
    .split(/\s*,\s*/)
    .sort();

function corsSentences(sentence: Sentence) {
  sentence(
    "OPTIONS answers the preflight of any origin, without a key and without credentials",
    async (service) => {
      for (const { name: tool } of TOOLS) {
        const response = await service.send(`/api/v1/${tool}`, {
          method: "OPTIONS",
          headers: {
            Origin: "https://a.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type",
          },
        });
        assert.equal(response.status, 204);
        assert.equal(response.text, "");
        assert.equal(response.header("access-control-allow-origin"), "*");
        assert.equal(response.header("access-control-allow-credentials"), null);
        assert.deepEqual(NAMES(response.header("access-control-allow-methods")), [
          "options",
          "post",
        ]);
        const allowed = NAMES(response.header("access-control-allow-headers"));
        for (const name of [
          "authorization",
          "content-type",
          "content-encoding",
          "idempotency-key",
          "x-request-id",
        ]) {
          assert.ok(allowed.includes(name), name);
        }
        assert.ok(Number(response.header("access-control-max-age")) > 0);
      }
    },
  );

  sentence("scripts of any origin may read every header of every response", async (service) => {
    const caller = await createCaller(service);
    const simple = [
      "cache-control",
      "content-type",
      "content-length",
      "content-encoding",
      "vary",
      "date",
      "connection",
      "keep-alive",
      "transfer-encoding",
      "x-content-type-options",
    ];
    const headers = { Origin: "https://pages.example" };
    const key = { "Idempotency-Key": "cors", ...headers };
    const responses = [
      await caller.call("uuid", {}, key),
      await caller.call("uuid", {}, key),
      await caller.call("uuid", { count: 0 }, headers),
      await service.send("/api/v1/hash", { method: "POST", headers }),
      await service.send("/api/v1/hash", { method: "DELETE", headers }),
    ];
    const own = await caller.call("uuid", {});
    assert.equal(own.header("access-control-allow-origin"), "*");
    assert.equal(own.header("access-control-expose-headers"), null, "without an Origin");
    for (const response of responses) {
      assert.equal(response.header("access-control-allow-origin"), "*");
      const exposed = NAMES(response.header("access-control-expose-headers"));
      for (const name of response.headers.keys()) {
        if (name.startsWith("access-control-") || simple.includes(name)) continue;
        assert.ok(exposed.includes(name), `${name} is not exposed`);
      }
    }
  });
}

function negotiationSentences(sentence: Sentence) {
  sentence(
    "an error is application/json for a client that accepts that and not problem details",
    async (service) => {
      const problem = "application/problem+json";
      const json = "application/json";
      const rows: [string | null, string][] = [
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
        assertProblem(
          await service.send("/api/v1/hash", { method: "POST", headers }),
          "missing_key",
          type,
        );
        assertProblem(
          await service.send("/api/v1/none", { method: "POST", headers }),
          "not_found",
          type,
        );
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

  sentence("HEAD has the status and the headers of GET, and no body", async (service) => {
    for (const path of [
      "/",
      "/docs",
      "/docs/errors",
      "/openapi.json",
      "/healthz",
      "/readyz",
      "/nowhere",
      "/api/v1/none",
    ]) {
      const [get, head] = [await service.send(path), await service.send(path, { method: "HEAD" })];
      assert.equal(head.text, "");
      assert.equal(head.status, get.status, path);
      assert.equal(head.header("content-type"), get.header("content-type"), path);
    }
    const tool = await service.send("/api/v1/hash", { method: "HEAD" });
    assert.deepEqual([tool.status, tool.text, tool.header("allow")], [405, "", "POST, OPTIONS"]);
  });

  sentence("the operator's paths respond without a key", async (service) => {
    assert.deepEqual((await service.send("/healthz")).json(), { ok: true });
    const ready = await Promise.all([1, 2, 3].map(() => service.send("/readyz")));
    for (const response of ready) assert.deepEqual(response.json(), { ok: true });
    const description = await service.send("/openapi.json");
    assert.equal(description.header("content-type"), "application/json");
    assert.equal(description.json().openapi, "3.1.0");
  });

  sentence("a query does not change the path, and never authenticates", async (service) => {
    const caller = await createCaller(service);
    const response = await service.send("/api/v1/hash?algorithm=/api/v1/echo#y", {
      method: "POST",
      headers: { Authorization: `Bearer ${caller.key}` },
      body: '{"text":"a"}',
    });
    assert.equal(assertProblem(response, "invalid_request").errors[0].parameter, "algorithm");
  });
}

function compressionSentences(sentence: Sentence) {
  sentence(
    "answers over some KB are compressed for those who accept it",
    async (service) => {
      const caller = await createCaller(service);
      const rows: [string, string | null][] = [
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
    { needs: "compress" },
  );
}
