/** In which jurisdiction both Workers look for objects, at every way in. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { accountPart } from "#ids.ts";
import { connectMcp } from "../../http/mcp-client.ts";
import { type EdgeSite, openEdgeSite } from "../../support/edge-site.ts";
import { edgeMember, operatorOf } from "./edge-member.ts";
import type { Asked } from "./worker-with-jurisdictions.ts";

const TOKEN = "the-operator-of-a-service-in-a-test";

/** Signs up, creates a key and uses both Workers in every way. Resolves to the objects that they asked for. */
async function useAll(texts: Record<string, string>): Promise<{ asked: Asked[]; part: string }> {
  const around = "apps/edge/worker-with-jurisdictions.ts";
  const given = { TOOLBOOTH_OPERATOR_TOKEN: TOKEN, ...texts };
  const site: EdgeSite = await openEdgeSite({ after }, { texts: given, around });
  const operate = operatorOf(site, TOKEN);
  const { account, get, post } = await edgeMember(site, "ada");
  const { body } = await post("/dashboard/keys", { label: "laptop" });
  const key = (body as { secret: string }).secret;
  const headers = { Authorization: `Bearer ${key}` };
  const call = await fetch(`${site.base}/api/v1/uuid`, { method: "POST", headers });
  assert.equal(call.status, 200);
  const client = await connectMcp({ url: `${site.base}/mcp`, key, revision: "2026-07-28" });
  await client.callTool({ name: "uuid", arguments: {} });
  await client.close();
  await get("/dashboard/home");
  const now = Date.now();
  await operate("findAccount", { account, now });
  await operate("exportAccount", { account, place: null, snapshot: null, hold: false });
  const job = JSON.stringify({ account, callId: "call_of_a_test", at: now });
  await site.sql(
    `INSERT INTO job (id, queue, kind, target, label, payload, created_at, due_at)
     VALUES ('one', 'reversal', 'reverse-call', '${account}', '${account}', '${job}', ${now}, 0)`,
  );
  await site.cron();
  assert.equal((await fetch(`${site.base}/readyz`)).status, 200);
  const asked = (await (await fetch(`${site.base}/test/asked`)).json()) as Asked[];
  return { asked, part: accountPart(account) };
}

test("with TOOLBOOTH_JURISDICTION every object is in it, and without it none is", async () => {
  for (const jurisdiction of [null, "eu"]) {
    const texts = { TOOLBOOTH_JURISDICTION: jurisdiction ?? "" };
    const { asked, part } = await useAll(texts);
    const kinds = new Set(
      asked.map(({ name }) => (name === part ? "account" : name.split("-")[0])),
    );
    assert.deepEqual([...kinds].sort(), ["account", "readiness", "sign"]);
    for (const each of asked) assert.equal(each.jurisdiction, jurisdiction, each.name);
  }
});
