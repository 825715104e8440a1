import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { DeliveriesView, EndpointSecretView } from "#api/dashboard/shapes.ts";
import { startReceiver } from "../../../events/receiver.ts";
import { emailsTo, until } from "../../../support/dashboard-site.ts";
import {
  call,
  type EdgeMember,
  edgeMember,
  forwarded,
  operate,
  STARTER_CREDITS,
  site,
  unexpectedLogs,
} from "./fixture.ts";

/** Events at the edge, from an account's object through D1 and cron to an email and a webhook delivery. */
const members: EdgeMember[] = [];

/** Creates a user whose sign-up events were delivered. */
async function settled(name: string): Promise<EdgeMember> {
  const member = await edgeMember(name);
  members.push(member);
  await forwarded("credits.granted", member.account);
  await site.cron();
  return member;
}

async function openEndpoint(t: TestContext, member: EdgeMember, responses: number[] = []) {
  let secret = "";
  const receiver = await startReceiver(
    ...([t, () => secret] as const),
    (before, response) => void response.writeHead(responses[before] ?? 200).end(),
  );
  const kinds = ["credits.low", "credits.depleted", "credits.granted", "credits.expiring"];
  const made = await member.post("/dashboard/webhooks", {
    url: receiver.url,
    kinds,
    paused: false,
  });
  assert.equal(made.status, 201, made.text);
  const { endpoint, secret: shown } = made.body as EndpointSecretView;
  secret = shown;
  return { ...receiver, endpoint };
}

test("a call that leaves few credits causes one email and one webhook within a minute, and a resend is immediate", async (t) => {
  const ada = await settled("low");
  const { received, endpoint } = await openEndpoint(t, ada, [500]);
  const made = await ada.post("/dashboard/keys", { label: "laptop" });
  const key = keyIn(made.text);
  await forwarded("key.created", ada.account);
  await site.cron();
  assert.equal(received.length, 0, "events that the endpoint does not subscribe to");
  const lowBalance = STARTER_CREDITS - 1;
  const choice = { lowBalance, emails: { low: true, expiring: true } };
  assert.equal((await ada.put("/dashboard/notifications", choice)).status, 200);
  // The first call is free, the second leaves as many credits as are not low yet, the third one less.
  for (let turn = 0; turn < 3; turn += 1) assert.equal((await call(key)).status, 200);
  await forwarded("credits.low", ada.account);
  const before = emailsTo(site, ada.email).length;
  await site.cron();
  await until("the letter", () => emailsTo(site, ada.email).length === before + 1);
  const message = emailsTo(site, ada.email).at(-1)?.email;
  assert.match(message?.text ?? "", /98 credits/);
  assert.match(message?.text ?? "", /\/unsubscribe\?token=/);
  const left = `SELECT * FROM forwarded_event WHERE id LIKE 'evt_${ada.account}_%'`;
  assert.deepEqual(await site.sql(left), []);

  // The endpoint responded with 500, so the next minute retries.
  assert.deepEqual([...received.keys()], [0]);
  await site.sql("UPDATE job SET due_at = 1 WHERE queue = 'webhook' AND died_at IS NULL");
  await site.cron();
  await site.cron();
  assert.deepEqual([...received.keys()], [0, 1]);
  const [first, second] = received;
  assert.deepEqual([first?.isGood, second], [true, first]);
  assert.match(first?.body ?? "", /"type":"credits.low".*"balance":98/);

  const log = `/dashboard/webhooks/${endpoint.id}/deliveries`;
  const { deliveries } = (await ada.get(log)).body as DeliveriesView;
  const attempts = deliveries.map(({ status, tries, lastStatus }) => [status, tries, lastStatus]);
  assert.deepEqual(attempts, [["delivered", 2, 200]]);
  assert.equal((await ada.post(`${log}/${deliveries[0]?.id}/again`)).status, 201);
  await until("the webhook, again", () => received.length === 3);
  assert.deepEqual(received[2], first);
});

test("an object keeps its events until D1 has the table", async () => {
  const cid = await edgeMember("behind");
  await forwarded("credits.granted", cid.account);
  await site.sql("ALTER TABLE forwarded_event RENAME TO elsewhere");
  const made = await cid.post("/dashboard/keys", { label: "phone" });
  assert.equal(made.status, 201, made.text);
  await until("the error in the log", () =>
    site.logs.some((line) => /could not be forwarded/.test(line)),
  );
  await site.sql("ALTER TABLE elsewhere RENAME TO forwarded_event");
  await forwarded("key.created", cid.account);
  const remaining = await site.ledgerRows(cid.account, "SELECT * FROM event");
  assert.deepEqual(remaining, []);
});

test("logs no other errors, and the ledgers reconcile", async () => {
  assert.deepEqual(unexpectedLogs(), []);
  const audit = await operate<{ ok: boolean; accounts: number }>("audit", {});
  assert.ok(audit.ok && audit.accounts >= members.length, JSON.stringify(audit));
});

/** The complete key is longer than the part that is shown later. */
const keyIn = (text: string) =>
  (text.match(/tb_[0-9A-Za-z_]+/g) ?? []).reduce((a, b) => (a.length > b.length ? a : b), "");
