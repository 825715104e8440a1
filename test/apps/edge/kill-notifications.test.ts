import assert from "node:assert/strict";
import { test } from "node:test";
import { bundleWorker, type Edge, startEdge } from "../../http/edge.ts";
import { temporaryFolder } from "../../http/server-process.ts";
import { eventually } from "../../http/test-api.ts";
import { applyMigrations } from "../../stores/sql/d1-fixture.ts";
import { EDGE_TEXTS, ledgerAt, openEdgeAccount } from "./edge-ledger.ts";

/** SIGKILL of workerd between a call that leaves few credits and the alarm that sends its event to D1. */
test("the event of a call arrives once after a kill, even without further calls", async (t) => {
  const folder = temporaryFolder(t);
  const { code } = await bundleWorker("apps/edge/worker-with-test-access.ts");
  const start = () =>
    startEdge(code, {
      folder,
      texts: { ...EDGE_TEXTS, RATE_LIMIT: "0" },
      beside: { d1Databases: { DB: "kept" } },
    });
  let edge: Edge = await start();
  t.after(() => edge.close());
  const database = () => edge.miniflare.getD1Database("DB");
  await applyMigrations(await database());
  const kinds = async () => {
    const rows = await (await database())
      .prepare("SELECT event FROM forwarded_event ORDER BY no")
      .all();
    return (rows.results as { event: string }[]).map(
      ({ event }) => (JSON.parse(event) as { kind: string }).kind,
    );
  };
  const { key } = await openEdgeAccount({ ledger: ledgerAt(edge.base) }, 20);
  const granted = ["key.created", "credits.granted"];
  await eventually("the event of the grant", async () => (await kinds()).length === 2);

  const response = await fetch(`${edge.base}/api/v1/uuid`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}` },
  });
  process.kill(edge.pid, "SIGKILL");
  assert.equal(response.status, 200);
  await edge.close();
  edge = await start();
  await eventually("the event of the balance", async () => (await kinds()).length > 2);
  assert.deepEqual(await kinds(), [...granted, "credits.low"]);
});
