import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { makeKey } from "#accounts/key-format.ts";
import type { ErrorCode } from "#errors.ts";
import { MCP_ENVELOPE_BYTES_MAX } from "#limits.ts";
import { call, post, resultOf } from "../mcp-messages.ts";
import { assertProblem, createCaller, PUBLIC_URL, type Sentence } from "../test-api.ts";

/** The HTTP around MCP: keys, origins, methods and bodies. */
export function mcpHttpSuite(sentence: Sentence) {
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };

  sentence("MCP: keys are bearer keys, as at the API", async (service) => {
    const { key } = await createCaller(service);
    const invented = makeKey("acc_unknown", ["another secret of some length"], randomBytes);
    for (const value of [null, "Bearer", "Bearer x", `Basic ${key}`, `Bearer ${invented}`]) {
      const headers = value === null ? {} : { Authorization: value };
      const asked = { method: "POST", body: "{}", headers };
      const api = await service.send("/api/v1/hash", asked);
      const type = { "Content-Type": "application/json" };
      const mcp = await service.send("/mcp", { ...asked, headers: { ...headers, ...type } });
      assert.deepEqual([mcp.status, api.status], [401, 401], String(value));
      assert.equal(mcp.header("www-authenticate"), api.header("www-authenticate"));
      const { requestId: _, ...told } = mcp.json();
      const { requestId: __, ...expected } = api.json();
      assert.deepEqual(told, expected);
    }
  });

  sentence(
    "MCP: pages of any origin may use it, with the key in the header",
    async (service) => {
      const caller = await createCaller(service);
      const names = (list: string | null) => (list ?? "").toLowerCase().split(/\s*,\s*/);
      for (const origin of ["https://agents.example", "null", PUBLIC_URL]) {
        const headers = { Origin: origin };
        const preflight = await service.send("/mcp", {
          method: "OPTIONS",
          headers: {
            ...headers,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization,content-type,mcp-protocol-version",
          },
        });
        assert.equal(preflight.status, 204);
        assert.equal(preflight.header("allow"), "POST, OPTIONS");
        const allowed = names(preflight.header("access-control-allow-headers"));
        for (const name of [
          ...["authorization", "content-type", "accept", "mcp-protocol-version", "mcp-session-id"],
          ...["mcp-method", "mcp-name", "last-event-id", "idempotency-key"],
        ]) {
          assert.ok(allowed.includes(name), name);
        }
        const responses = [
          preflight,
          await post(service, caller, list, { headers }),
          await post(service, caller, call("uuid", {}), { headers }),
          await post(service, { key: "" }, list, { headers }),
          await service.send("/mcp", {
            headers: { ...headers, Authorization: `Bearer ${caller.key}` },
          }),
        ];
        assert.deepEqual(
          responses.map(({ status }) => status),
          [204, 200, 200, 401, 405],
        );
        for (const response of responses) {
          assert.equal(response.header("access-control-allow-origin"), "*");
          assert.equal(response.header("access-control-allow-credentials"), null);
          const exposed = names(response.header("access-control-expose-headers"));
          for (const name of ["www-authenticate", "mcp-session-id", "mcp-protocol-version"]) {
            assert.ok(exposed.includes(name), name);
          }
        }
      }
    },
    { adapter: "methods and headers of MCP" },
  );

  sentence(
    "MCP: other methods report the key first, then that only POST is allowed",
    async (service) => {
      const { key } = await createCaller(service);
      for (const method of ["GET", "DELETE", "PUT", "PATCH", "HEAD"]) {
        const send = (headers: Record<string, string>) =>
          service.send("/mcp", { method, headers: { Accept: "text/event-stream", ...headers } });
        for (const headers of [{}, { Authorization: "Bearer x" }]) {
          const without = await send(headers as Record<string, string>);
          assert.equal(without.status, 401, method);
          assert.match(without.header("www-authenticate") ?? "", /^Bearer realm="toolbooth"/);
          if (method !== "HEAD") assert.match(without.json().detail, /API key/);
        }
        const response = await send({ Authorization: `Bearer ${key}` });
        assert.equal(response.status, 405, method);
        assert.equal(response.header("allow"), "POST, OPTIONS");
        if (method === "GET") assert.match(response.json().detail, /use POST.*no event stream/);
      }
    },
  );

  sentence("MCP: the paths of other servers are 404 and suggest /mcp", async (service) => {
    const paths = [
      ...["/mcp/", "/sse", "/mcp/sse", "/sse/", "/MCP", "/messages", "/message?sessionId=1"],
      ...["/api/mcp", "/api/v1/mcp", "/v1/mcp", "/mcp/message", "/mcp/stream"],
    ];
    for (const path of paths) {
      for (const method of ["GET", "POST"]) {
        const response = await service.send(path, {
          method,
          headers: { Accept: "text/html, */*" },
        });
        assert.match(assertProblem(response, "not_found").detail, /Did you mean \/mcp\?/, path);
      }
    }
    // Where clients go on once their key was rejected.
    for (const [method, path] of [
      ["POST", "/register"],
      ["GET", "/.well-known/oauth-protected-resource/mcp"],
      ["GET", "/.well-known/oauth-authorization-server"],
    ] as const) {
      const response = await service.send(path, {
        method,
        headers: { Accept: "application/json" },
      });
      assert.equal(response.status, 404);
      assert.match(response.json().detail, /no OAuth here.*API key/);
    }
  });

  sentence(
    "MCP: the body is JSON, of a bounded size, and may be compressed",
    async (service) => {
      const caller = await createCaller(service);
      const text = JSON.stringify(list);
      const send = (headers: Record<string, string>, body: string | Uint8Array = text) =>
        post(service, caller, "", { headers, body });
      const meta = { "com.example/x": "x".repeat(MCP_ENVELOPE_BYTES_MAX) };
      const rejected: [
        code: ErrorCode,
        headers: Record<string, string>,
        body?: string | Uint8Array,
      ][] = [
        ["unsupported_media_type", { "Content-Type": "text/plain" }],
        ["unsupported_media_type", { "Content-Type": "application/x-www-form-urlencoded" }],
        ["unsupported_media_type", { "Content-Type": "application/jsonp" }],
        ["unsupported_media_type", { "Content-Type": "text/json" }],
        ["unsupported_media_type", { "Content-Encoding": "br" }],
        ["not_acceptable", { Accept: "text/event-stream" }],
        ["too_large", {}, " ".repeat(7 * 1024 * 1024)],
        ["too_large", {}, JSON.stringify({ ...list, params: { _meta: meta } })],
      ];
      for (const [code, headers, body] of rejected) {
        // The client of these tests accepts JSON.
        const type = headers["Accept"] === undefined ? "application/json" : undefined;
        assertProblem(await send(headers, body), code, type);
      }
      resultOf(await send({ "Content-Type": "Application/JSON; charset=utf-8" }));
      resultOf(await send({ "Content-Encoding": "gzip" }, gzipSync(text)));
      for (const Accept of ["application/json", "*/*", "text/html, application/*;q=0.5"])
        resultOf(await send({ Accept }));
      assert.equal(await caller.balance(), 100);
    },
    { adapter: "bodies of MCP" },
  );

  sentence("MCP: responses say which request they are for, and are not stored", async (service) => {
    const caller = await createCaller(service);
    const response = await post(service, caller, call("uuid", {}), {
      headers: { "X-Request-Id": "mine" },
    });
    assert.equal(resultOf(response)._meta["toolbooth/request-id"], "mine");
    assert.equal(response.header("x-request-id"), "mine");
    assert.equal(response.header("cache-control"), "no-store");
    assert.equal(response.header("mcp-session-id"), null);
  });
}
