import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { HomeView, Visitor } from "#api/dashboard/shapes.ts";
import { accountPart } from "#ids.ts";
import { connectMcp } from "../../../http/mcp-client.ts";
import { openEdgeSite } from "../../../support/edge-site.ts";
import { edgeMember, operatorOf, post, startSignIn, TOKEN } from "./fixture.ts";
import type { Asked } from "./worker-with-jurisdictions.ts";

/** The service with an https URL, in a jurisdiction and without request log. */
const site = await openEdgeSite(
  { after },
  {
    texts: {
      PUBLIC_URL: "https://tools.example",
      TOOLBOOTH_OPERATOR_TOKEN: TOKEN,
      TOOLBOOTH_JURISDICTION: "eu",
      TOOLBOOTH_REQUEST_LOG_DAYS: "0",
    },
    around: "apps/edge/site/worker-with-jurisdictions.ts",
  },
);

test("with TOOLBOOTH_JURISDICTION, both Workers look for every object in it; without a request log, the pages say so", async () => {
  const operate = operatorOf(site);
  const { account, get } = await edgeMember("ada", site);
  const now = Date.now();
  const order = { email: account, label: "key" };
  const { key } = await operate<{ key: string }>("key create", order);
  const headers = { Authorization: `Bearer ${key}` };
  const call = await fetch(`${site.base}/api/v1/uuid`, { method: "POST", headers });
  assert.equal(call.status, 200);
  const client = await connectMcp({ url: `${site.base}/mcp`, key, revision: "2026-07-28" });
  await client.callTool({ name: "uuid", arguments: {} });
  await client.close();
  await operate("account show", { email: account });
  const exported = await fetch(`${site.base}/operator/export`, {
    ...{ method: "POST", headers: { Authorization: `Bearer ${TOKEN}` } },
  });
  assert.match(await exported.text(), /"record":"page","next":null\}\n$/);
  const job = JSON.stringify({ account, callId: "call_of_a_test", at: now });
  await site.sql(
    `INSERT INTO job (id, queue, kind, target, label, payload, created_at, due_at)
     VALUES ('one', 'reversal', 'reverse-call', '${account}', '${account}', '${job}', ${now}, 0)`,
  );
  await site.cron();
  assert.equal((await fetch(`${site.base}/readyz`)).status, 200);

  assert.equal(((await get("/dashboard/visitor")).body as Visitor).requestLog, false);
  assert.equal((await get("/dashboard/requests")).status, 404);
  assert.equal(((await get("/dashboard/home")).body as HomeView).lastErrors, null);

  const asked = (await (await fetch(`${site.base}/test/asked`)).json()) as Asked[];
  const part = accountPart(account);
  const kinds = new Set(asked.map(({ name }) => (name === part ? "account" : name.split("-")[0])));
  assert.deepEqual([...kinds].sort(), ["account", "readiness", "sign"]);
  for (const { name, jurisdiction } of asked) assert.equal(jurisdiction, "eu", name);
});

test("a Worker with https offers passkeys", async () => {
  const asked = "/auth/passkey/generate-authenticate-options";
  const passkeys = await post(asked, {}, {}, site);
  assert.deepEqual([passkeys.status, JSON.parse(passkeys.text).rpId], [200, "tools.example"]);
});

test("a network that asks for many codes is stopped in whatever isolate, and other networks are not", async () => {
  const ask = async (address: string, turn: number) =>
    (await startSignIn(`x${turn}@example.net`, { "CF-Connecting-IP": address }, site)).status;
  const before = site.logs.length;
  const flood = await Promise.all(
    Array.from({ length: 9 }, (_, turn) => ask(`2001:db8:f100::${turn + 1}`, turn)),
  );
  assert.equal(flood.filter((status) => status === 200).length, 6, `${flood}`);
  assert.equal(flood.filter((status) => status === 429).length, 3, `${flood}`);
  assert.equal(await ask("2001:db8:f200::1", 50), 200);
  assert.deepEqual(site.logs.slice(before), []);
});
