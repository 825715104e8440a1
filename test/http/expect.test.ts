import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { openNodeSocket } from "./node-socket.ts";
import { assertRefused, openRaw, rawPost, sendRaw, shareRawService } from "./raw-socket.ts";
import { type Caller, createCaller, openService } from "./test-api.ts";

/**
 * `Expect: 100-continue` on Node (RFC 9110, section 10.1.1): what a call can be rejected for without its body is checked
 * before the client is told to send it.
 */
const MB = 1024 * 1024;
const { service, port, close } = await shareRawService();
after(close);

const EXPECT = { Expect: "100-continue" };
const XML = { "Content-Type": "application/xml" };
const bearer = ({ key }: Pick<Caller, "key">) => ({ Authorization: `Bearer ${key}` });

/** The head of a request whose body the client holds back. */
function head(target: string, length: number, headers: Record<string, string>): string {
  return rawPost(target, "", { ...EXPECT, "Content-Length": String(length), ...headers });
}

test("a valid call gets 100 Continue, and its connection stays open", async () => {
  const caller = await createCaller(service);
  const raw = openRaw(port);
  for (const size of [1, 20_000, MB]) {
    const body = JSON.stringify({ text: "a".repeat(size) });
    raw.write(head("/api/v1/hash", body.length, bearer(caller)));
    const interim = await raw.response();
    assert.deepEqual([interim.status, [...interim.headers]], [100, []]);
    raw.write(body);
    const response = await raw.response();
    assert.equal(response.status, 200, response.text);
    assert.equal(response.headers.get("credits-charged"), "1");
  }
  raw.write(
    rawPost("/api/v1/echo", "", { ...bearer(caller), ...EXPECT, "Transfer-Encoding": "chunked" }),
  );
  assert.equal((await raw.response()).status, 100);
  raw.write("2\r\n[]\r\n0\r\n\r\n");
  assert.deepEqual((await raw.response()).json().body, []);
  raw.socket.destroy();
  assert.equal(await caller.balance(), 96);
});

test("an error of the body is reported after the body, and the connection stays open", async () => {
  const caller = await createCaller(service);
  const raw = openRaw(port);
  for (const [body, code] of [
    ["{", "invalid_json"],
    ["{}", "invalid_request"],
  ] as const) {
    raw.write(head("/api/v1/hash", body.length, bearer(caller)));
    assert.equal((await raw.response()).status, 100);
    raw.write(body);
    assertRefused(await raw.response(), 400, code);
  }
  raw.socket.destroy();
});

test("a call that fails without its body is rejected before the body is sent, and the connection is closed", async () => {
  const [rich, poor, suspended] = [
    await createCaller(service),
    await createCaller(service, { credits: 0 }),
    await createCaller(service),
  ];
  const now = await service.now();
  await service.ledger.changeAccount({ account: suspended.account, now, state: "suspended" });
  const rows: [string, Record<string, string>, number, string][] = [
    ["/api/v1/hash", {}, 401, "missing_key"],
    ["/api/v1/hash", { Authorization: "Bearer tb_wrong" }, 401, "invalid_key"],
    ["/api/v1/hash", bearer(suspended), 403, "account_suspended"],
    ["/api/v1/hash", bearer(poor), 402, "insufficient_credits"],
    ["/api/v1/uuid", bearer(rich), 413, "too_large"],
    ["/api/v1/hash", { ...bearer(rich), "Content-Encoding": "br" }, 415, "unsupported_media_type"],
    ["/api/v1/hash", { ...bearer(rich), ...XML }, 415, "unsupported_media_type"],
    ["/api/v1/hash", { ...bearer(rich), "Idempotency-Key": "a b" }, 400, "invalid_request"],
    ["/api/v1/none", bearer(rich), 404, "not_found"],
    ["/api/v1/account", bearer(rich), 405, "method_not_allowed"],
  ];
  for (const isKnown of [false, true]) {
    for (const [target, headers, status, code] of rows) {
      const raw = openRaw(port);
      raw.write(head(target, MB, headers));
      const response = await raw.response();
      assertRefused(response, status, code);
      assert.equal(response.headers.get("connection"), "close", code);
      assert.deepEqual(await raw.closed(), { rest: "", error: null }, `${code} ${isKnown}`);
    }
    // A small call with a key that the node knows would not ask the ledger first.
    const raw = openRaw(port);
    raw.write(head("/api/v1/hash", 2, bearer(poor)));
    assertRefused(await raw.response(), 402, "insufficient_credits");
    raw.socket.destroy();
  }
  assert.equal(await rich.balance(), 100);
});

test("a call over the rate limit is rejected before its body is sent", async (t) => {
  const settings = { rateLimit: 1, fixed: true as const };
  const opened = await openNodeSocket(settings);
  const slow = await openService({ name: "Node", cannot: {}, open: async () => opened }, settings);
  t.after(slow.close);
  const caller = await createCaller(slow);
  for (const status of [200, 200, 429]) {
    assert.equal((await caller.call("uuid", {})).status, status);
  }
  const raw = openRaw(opened.port);
  raw.write(head("/api/v1/hash", MB, bearer(caller)));
  assertRefused(await raw.response(), 429, "rate_limited");
  assert.deepEqual(await raw.closed(), { rest: "", error: null });
});

test("a client that does not wait for 100 Continue gets its response too", async () => {
  const caller = await createCaller(service);
  for (const size of [1, 100_000, MB]) {
    const body = JSON.stringify({ text: "a".repeat(size) });
    const good = openRaw(port);
    good.write(rawPost("/api/v1/hash", body, { ...EXPECT, ...bearer(caller) }));
    const first = await good.response();
    const response = first.status === 100 ? await good.response() : first;
    assert.equal(response.status, 200, response.text);
    // Node closes the connection where it did not send 100.
    if (first.status === 100) {
      good.write(rawPost("/api/v1/echo", "1", bearer(caller)));
      assert.equal((await good.response()).json().body, 1);
    } else assert.deepEqual(await good.closed(), { rest: "", error: null });
    good.socket.destroy();
    const bad = openRaw(port);
    bad.write(rawPost("/api/v1/hash", body, { ...EXPECT, Authorization: "Bearer tb_wrong" }));
    assertRefused(await bad.response(), 401, "invalid_key");
    bad.socket.destroy();
  }
});

test("a GET that expects to continue, and another expectation, get their responses", async () => {
  const other = rawPost("/api/v1/hash", "{}", { Expect: "the-unexpected" });
  assertRefused(await sendRaw(port, other), 401, "missing_key");
  const raw = openRaw(port);
  raw.write("GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n");
  assert.equal((await raw.response()).status, 200);
  assert.deepEqual(await raw.closed(), { rest: "", error: null });
});

test("curl does not upload a megabyte for a bad key", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-expect-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, "body");
  writeFileSync(file, "a".repeat(MB));
  const { key } = await createCaller(service);
  const upload = async (bearerKey: string) => {
    const { stdout } = await promisify(execFile)("curl", [
      ...["--silent", "--output", path.join(folder, "out"), "--data-binary", `@${file}`],
      ...["--write-out", "%{http_code} %{size_upload}", "--noproxy", "*"],
      // A client that waits for longer than a busy machine takes.
      ...["--expect100-timeout", "600", "--header", "Expect: 100-continue"],
      ...["--header", "Content-Type: text/plain", "--header", `Authorization: Bearer ${bearerKey}`],
      `http://127.0.0.1:${port}/api/v1/hash`,
    ]);
    return stdout;
  };
  try {
    assert.equal(await upload("tb_wrong"), "401 0");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return t.skip("curl is not installed");
  }
  assert.equal(await upload(key), `200 ${MB}`);
});
