import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Ledger } from "#ledger/port.ts";
import { bundleWorker, startEdge } from "../../http/edge.ts";
import { eventually } from "../../http/test-api.ts";
import { applyMigrations } from "../../stores/sql/d1-fixture.ts";
import { EDGE_TEXTS, ledgerAt, openEdgeAccount } from "./edge-ledger.ts";

/** The API Worker with invalid settings, or with errors between it and its objects. */
type Options = { texts: Record<string, string>; withDb: boolean };

async function startWorker(entry: string, { texts, withDb }: Options) {
  const { code } = await bundleWorker(entry);
  const log: string[] = [];
  const edge = await startEdge(code, {
    texts,
    beside: {
      ...(withDb ? { d1Databases: { DB: "toolbooth" } } : {}),
      serviceBindings: { SITE: () => new Response("a page") as never },
      handleStructuredLogs: ({ message }) => void log.push(message),
    },
  });
  return { ...edge, log };
}

type Running = Awaited<ReturnType<typeof startWorker>>;

describe("invalid settings", () => {
  let running: Running;
  before(async () => {
    const texts = { PUBLIC_URL: "https://me:hunter2@edge.test", SECRET: "tooshort" };
    running = await startWorker("../src/apps/edge/api-worker.ts", { texts, withDb: false });
  });
  after(() => running?.close());

  test("reject every call with 503, and the log names them once", async () => {
    const body = JSON.stringify({ text: "a".repeat(100_000) });
    for (const [method, to] of [
      ["POST", "/api/v1/hash"],
      ["POST", "/api/v1/uuid"],
      // The path is a call in any spelling, and not a page.
      ["POST", "/%61pi/v1/hash?x=%FF"],
      ["GET", "/healthz"],
      ["GET", "/readyz"],
    ] as const) {
      const response = await fetch(running.base + to, method === "GET" ? {} : { method, body });
      assert.equal(response.status, 503, to);
      assert.equal(response.headers.get("content-type"), "application/problem+json");
      assert.ok(Number(response.headers.get("retry-after")) > 0);
      const text = await response.text();
      assert.doesNotMatch(text, /hunter2|tooshort|SECRET|PUBLIC_URL/);
      const problem = JSON.parse(text) as Record<string, unknown>;
      assert.deepEqual(
        [problem["ok"], problem["status"], problem["code"]],
        [false, 503, "unavailable"],
      );
      assert.match(String(problem["requestId"]), /^req_\w+$/);
      assert.equal(problem["requestId"], response.headers.get("x-request-id"));
    }
    const logged = running.log.filter((line) => line.includes("Invalid settings"));
    assert.equal(logged.length, 1, running.log.join("\n"));
    assert.match(logged[0] ?? "", /PUBLIC_URL must be an http or https URL/);
    assert.match(logged[0] ?? "", /SECRET must have at least 16 characters/);
    assert.doesNotMatch(running.log.join("\n"), /hunter2|tooshort/);
  });

  test("do not affect the pages, which another Worker serves", async () => {
    const response = await fetch(`${running.base}/docs`);
    assert.deepEqual([response.status, await response.text()], [200, "a page"]);
  });
});

describe("errors of an object", () => {
  let running: Running;
  let key = "";
  let account = "";
  let ledger: Ledger;
  const balance = async () => (await ledger.credits({ account, now: Date.now() })).balance;

  before(async () => {
    running = await startWorker("apps/edge/worker-in-trouble.ts", {
      texts: EDGE_TEXTS,
      withDb: true,
    });
    await applyMigrations(await running.miniflare.getD1Database("DB"));
    ledger = ledgerAt(running.base);
    ({ account, key } = await openEdgeAccount({ ledger }, 9));
  });
  after(() => running?.close());

  const call = (trouble: string, headers: Record<string, string> = {}) =>
    fetch(`${running.base}/api/v1/hash`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "x-test-trouble": trouble, ...headers },
      body: '{"text":"a"}',
    });
  const storedReversals = async () =>
    (await (await fetch(`${running.base}/test/kept`)).json()) as {
      payload: string;
    }[];

  test("an object that was moved gets the order again, and the call succeeds and is charged once", async () => {
    const response = await call("moves once");
    assert.deepEqual([response.status, await balance()], [200, 8]);
  });

  test("an overloaded object causes 503 with Retry-After without a charge or a reversal", async () => {
    const response = await call("overloaded");
    assert.equal(response.status, 503);
    assert.ok(Number(response.headers.get("retry-after")) > 0);
    assert.doesNotMatch(await response.text(), /db-8/);
    assert.deepEqual([await balance(), await storedReversals()], [8, []]);
  });

  test("a lost response causes 503, and the call is reversed at once", async () => {
    const response = await call("loses answers");
    assert.equal(response.status, 503);
    assert.doesNotMatch(await response.text(), /db-7/);
    await eventually("the reversal", async () => (await balance()) === 8);
    assert.deepEqual(await storedReversals(), []);
  });

  test("a call on an object that stays unreachable is stored in the database and reversed later", async () => {
    assert.equal((await call("gone")).status, 503);
    await eventually("it is kept", async () => (await storedReversals()).length === 1);
    assert.equal(await balance(), 7);
    const [row] = await storedReversals();
    const { at, callId } = JSON.parse(row?.payload ?? "");
    assert.deepEqual(await ledger.reverse({ account, callId, at, now: Date.now() }), {
      reversed: true,
    });
    assert.equal(await balance(), 8);
    assert.equal((await ledger.audit({ now: Date.now(), account })).ok, true);
  });

  test("a call with an Idempotency-Key is not reversed, because its retry completes it", async () => {
    const headers = { "idempotency-key": "once" };
    assert.equal((await call("loses answers", headers)).status, 503);
    const again = await call("", headers);
    assert.deepEqual([again.status, again.headers.get("idempotency-replayed")], [200, "true"]);
    assert.equal(await balance(), 7);
  });
});
