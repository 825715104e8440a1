import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { makeKey } from "#accounts/key-format.ts";
import { newAccountId } from "#ids.ts";
import type { Ledger } from "#ledger/port.ts";
import { TOOLS } from "#tools/registry.ts";
import { bundleWorker, type Edge, startEdge } from "../../http/edge.ts";
import { EDGE_TEXTS, ledgerAt, openEdgeAccount } from "./edge-ledger.ts";

/** The API Worker as deployed, in a real workerd, with an object per account. */
const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-edge-"));
let edge: Edge;
let ledger: Ledger;

before(async () => {
  const { code } = await bundleWorker("apps/edge/worker-with-test-access.ts");
  edge = await startEdge(code, { folder, texts: EDGE_TEXTS });
  ledger = ledgerAt(edge.base);
});
after(async () => {
  await edge?.close();
  rmSync(folder, { recursive: true, force: true });
});

const openAccount = (credits: number) => openEdgeAccount({ ledger }, credits);

const call = (key: string, tool: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${edge.base}/api/v1/${tool}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

/** Lists the databases of all objects that were ever started. */
const countObjects = () =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    /[0-9a-f]{64}\.sqlite$/.test(name),
  ).length;

test("every tool works at the edge and charges its price", async () => {
  const spare = 4;
  const { account, key } = await openAccount(
    spare + TOOLS.reduce((sum, { price }) => sum + price, 0),
  );
  for (const { name, price, examples } of TOOLS) {
    const response = await call(key, name, examples[0]?.request);
    assert.equal(response.status, 200, name);
    assert.equal(response.headers.get("credits-charged"), String(price));
    assert.equal(((await response.json()) as { ok: boolean }).ok, true);
  }
  assert.equal((await ledger.credits({ account, now: Date.now() })).balance, spare);
  assert.equal((await ledger.audit({ now: Date.now(), account })).ok, true);
});

test("exactly five of twenty concurrent calls on five credits succeed", async () => {
  const { account, key } = await openAccount(5);
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => call(key, "hash", { text: "hello" })),
  );
  const statuses = responses.map(({ status }) => status).sort();
  assert.deepEqual(statuses, [...Array(5).fill(200), ...Array(15).fill(402)]);
  assert.equal((await ledger.credits({ account, now: Date.now() })).balance, 0);
});

test("rejects a revoked key at the next call", async () => {
  const { account, key, id } = await openAccount(5);
  assert.equal((await call(key, "uuid", {})).status, 200);
  await ledger.revokeKey({ account, id, now: Date.now() });
  assert.equal((await call(key, "uuid", {})).status, 401);
});

test("a replay has the bytes of the first response and is not charged", async () => {
  const { key } = await openAccount(2);
  const headers = { "idempotency-key": "once" };
  const first = await call(key, "uuid", { count: 3 }, headers);
  const again = await call(key, "uuid", { count: 3 }, headers);
  assert.equal(again.headers.get("idempotency-replayed"), "true");
  assert.equal(again.headers.get("credits-remaining"), "1");
  assert.equal(await again.text(), await first.text());
});

test("forged keys start no object and keep the connection open", async () => {
  const before = countObjects();
  for (let i = 0; i < 20; i += 1) {
    const outsider = makeKey(newAccountId(randomBytes), ["another secret altogether"], randomBytes);
    const response = await call(outsider, "hash", { text: "a".repeat(10_000) });
    assert.equal(response.status, 401);
    await response.arrayBuffer();
  }
  assert.equal(countObjects(), before);
});

test("/healthz and /readyz report success", async () => {
  for (const route of ["/healthz", "/health", "/readyz"]) {
    assert.equal((await fetch(edge.base + route)).status, 200, route);
  }
});
