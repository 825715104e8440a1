import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { makeKey } from "#accounts/key-format.ts";
import { MCP_ENVELOPE_BYTES_MAX } from "#limits.ts";
import { assertRpcError, call, post, resultOf } from "../mcp-messages.ts";
import { type ApiResponse, createCaller, PUBLIC_URL, type Sentence } from "../test-api.ts";

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

  sentence("MCP: a foreign Origin is 403, and no response has CORS headers", async (service) => {
    const caller = await createCaller(service);
    for (const origin of [
      "https://evil.example",
      "null",
      `${PUBLIC_URL}.evil.example`,
      `${PUBLIC_URL}:8443`,
      "http://toolbooth.example",
    ]) {
      const response = await post(service, caller, call("uuid", {}), {
        headers: { Origin: origin },
      });
      assertRpcError(response, 403, -32000, /Origin/);
      assert.equal(response.header("access-control-allow-origin"), null);
    }
    const large = { headers: { Origin: "null" }, body: " ".repeat(1024 * 1024) };
    assertRpcError(await post(service, caller, "", large), 403, -32000);
    const own = await post(service, caller, list, { headers: { Origin: PUBLIC_URL } });
    resultOf(own);
    const problem = await service.send("/mcp", { method: "POST", headers: { Origin: PUBLIC_URL } });
    const preflight = await service.send("/mcp", {
      method: "OPTIONS",
      headers: { Origin: PUBLIC_URL },
    });
    assert.deepEqual([problem.status, preflight.status], [401, 405]);
    for (const response of [own, problem, preflight]) {
      assert.equal(response.header("access-control-allow-origin"), null);
      assert.equal(response.header("access-control-expose-headers"), null);
    }
    assert.equal(await caller.balance(), 100);
  });

  sentence("MCP: POST alone", async (service) => {
    const { key } = await createCaller(service);
    for (const method of ["GET", "DELETE", "PUT", "OPTIONS", "HEAD"]) {
      const headers = { Authorization: `Bearer ${key}`, Accept: "text/event-stream" };
      const response = await service.send("/mcp", { method, headers });
      assert.equal(response.status, 405, method);
      assert.equal(response.header("allow"), "POST");
    }
  });

  sentence("MCP: the body is JSON, of a bounded size, and may be compressed", async (service) => {
    const caller = await createCaller(service);
    const send = (
      headers: Record<string, string>,
      body: string | Uint8Array = JSON.stringify(list),
    ) => post(service, caller, "", { headers, body });
    const problemOf = (response: ApiResponse) => [response.status, response.json().code];
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/jsonp",
      "text/json",
    ]) {
      assert.deepEqual(problemOf(await send({ "Content-Type": type })), [
        415,
        "unsupported_media_type",
      ]);
    }
    resultOf(await send({ "Content-Type": "Application/JSON; charset=utf-8" }));
    for (const accept of ["application/json", "*/*", "text/html, application/*;q=0.5"]) {
      resultOf(await send({ Accept: accept }));
    }
    assertRpcError(await send({ Accept: "text/event-stream" }), 406, -32000, /Accept/);
    resultOf(await send({ "Content-Encoding": "gzip" }, gzipSync(JSON.stringify(list))));
    assert.deepEqual(problemOf(await send({ "Content-Encoding": "br" })), [
      415,
      "unsupported_media_type",
    ]);
    const huge = " ".repeat(7 * 1024 * 1024);
    assert.deepEqual(problemOf(await send({}, huge)), [413, "too_large"]);
    const meta = {
      ...list,
      params: { _meta: { "com.example/x": "x".repeat(MCP_ENVELOPE_BYTES_MAX) } },
    };
    assert.deepEqual(problemOf(await send({}, JSON.stringify(meta))), [413, "too_large"]);
    assert.equal(await caller.balance(), 100);
  });

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
