import assert from "node:assert/strict";
import { after, test } from "node:test";
import type {
  CheckoutView,
  CreditsView,
  PricesView,
  PurchasesView,
  PurchaseView,
} from "#api/dashboard/shapes.ts";
import { FAKE_SECRET_KEY, FAKE_WEBHOOK_SECRET, startFakeStripe } from "../../stripe/fake-stripe.ts";
import type { Message } from "../../stripe/messages.ts";
import { openEdgeSite } from "../../support/edge-site.ts";
import { commandLine, temporaryFolder } from "../cli/fixture.ts";
import { type EdgeMember, edgeMember, operatorOf } from "./edge-member.ts";

/** Purchases at the edge, with Stripe's build for Workers, its fetch client and SubtleCrypto in workerd. */
const TOKEN = "the-operator-of-a-service-in-a-test";
const PRICES = {
  currency: "eur",
  packs: [{ id: "small", name: "Small", credits: 100, price: "5.00", months: 1 }],
  lifetime: { name: "Lifetime", credits: 500, price: "199.00" },
  contact: "sales@example.org",
};
const fake = await startFakeStripe();
after(() => fake.close());
const site = await openEdgeSite(
  { after },
  {
    texts: {
      TOOLBOOTH_OPERATOR_TOKEN: TOKEN,
      TOOLBOOTH_STARTER_CREDITS: "0",
      TOOLBOOTH_PRICES: JSON.stringify(PRICES),
      STRIPE_SECRET_KEY: FAKE_SECRET_KEY,
      STRIPE_WEBHOOK_SECRET: FAKE_WEBHOOK_SECRET,
      TOOLBOOTH_STRIPE_API: fake.api,
    },
  },
);
const operate = operatorOf(site, TOKEN);
const MESSAGES = `${site.base}/webhooks/stripe`;
const buyer = await edgeMember(site, "buyer");

async function buy(offer: string, { post }: EdgeMember = buyer) {
  const begun = await post("/dashboard/purchases", { offer });
  assert.equal(begun.status, 201, begun.text);
  const { id, url } = begun.body as CheckoutView;
  return { id, session: url.split("/").at(-1) as string };
}

async function sendAll(messages: readonly Message[] = fake.take()): Promise<number[]> {
  const statuses: number[] = [];
  for (const message of messages) statuses.push((await fake.send(MESSAGES, message)) as number);
  return [...new Set(statuses)];
}

const credits = async () => (await buyer.get("/dashboard/credits")).body as CreditsView;
const newest = async (): Promise<PurchaseView | undefined> =>
  ((await buyer.get("/dashboard/purchases")).body as PurchasesView).purchases[0];

test("the pages show the prices, and a purchase can be paid", async () => {
  const prices = (await buyer.get("/dashboard/prices")).body as PricesView;
  assert.equal(prices.payable, true);
  assert.deepEqual(
    prices.packs.map(({ name, credits: number, priceText }) => [name, number, priceText]),
    [["Small", 100, "€5.00"]],
  );
  const page = await (await fetch(site.base)).text();
  assert.match(page, /€5\.00/);
});

test("grants a pack once after payment, despite repeated events, and claws back a partial refund", async () => {
  const { id, session } = await buy("small");
  assert.equal((await newest())?.state, "open");
  fake.pay(session);
  const paid = fake.take();
  assert.deepEqual(await sendAll([...paid, ...paid].reverse()), [200]);
  const { balance, grants } = await credits();
  assert.deepEqual([balance, grants.length], [100, 1]);
  assert.equal((await newest())?.state, "paid");
  assert.match((await newest())?.receiptUrl ?? "", /\/receipt\//);

  fake.refund(session, 200);
  assert.deepEqual(await sendAll(), [200]);
  assert.equal((await credits()).balance, 60);
  const seen = await newest();
  assert.deepEqual([seen?.id, seen?.state, seen?.voided], [id, "partly_refunded", 40]);
});

test("a user who returns before the event sees the payment; a dispute revokes the plan, and winning it restores the plan", async () => {
  const { id, session } = await buy("lifetime");
  fake.pay(session);
  fake.take();
  const view = (await buyer.get(`/dashboard/purchases/${id}`)).body as PurchaseView;
  assert.equal(view.state, "paid");
  const after = await credits();
  assert.deepEqual([after.balance, after.lifetime], [560, true]);
  fake.dispute(session, "needs_response");
  assert.deepEqual(await sendAll(), [200]);
  assert.deepEqual([(await credits()).balance, (await credits()).lifetime], [60, false]);
  fake.dispute(session, "won");
  assert.deepEqual(await sendAll(), [200]);
  assert.deepEqual([(await credits()).balance, (await credits()).lifetime], [560, true]);
});

test("events that are modified, unsigned, too large or of other accounts change nothing", async () => {
  const { session } = await buy("small");
  fake.pay(session);
  const [message] = fake.take() as [Message];
  const signature = fake.signatureOf(message);
  const post = async (body: string, headers: Record<string, string>) => {
    const response = await fetch(MESSAGES, { method: "POST", body, headers });
    await response.text();
    return response.status;
  };
  const text = Buffer.from(message.body).toString();
  const tampered = text.replace(session, `${session}x`).replace('"livemode"', '"livemodE"');
  assert.notEqual(tampered, text);
  assert.equal(await post(tampered, { "stripe-signature": signature }), 400);
  assert.equal(await post(text, {}), 400);
  assert.equal(await post(text.padEnd(300_000), { "stripe-signature": signature }), 413);
  assert.equal((await fetch(MESSAGES)).status, 405);
  assert.equal((await credits()).balance, 560);
  fake.foreign();
  assert.equal((await credits()).grants.length, 2);
});

test("responds with 503 to events while Stripe is unavailable, and processes them when they are sent again", async () => {
  const { session } = await buy("small");
  fake.pay(session);
  const messages = fake.take();
  const about = messages.find(({ type }) => type === "checkout.session.completed") as Message;
  fake.setAway("500");
  assert.equal(await fake.send(MESSAGES, about), 503);
  fake.setAway(null);
  assert.deepEqual(await sendAll(messages), [200]);
  assert.equal((await credits()).balance, 660);
});

test("an operator reconciles payments over the network, which settles missed events", async () => {
  const { run, json } = commandLine(temporaryFolder(), {
    "--remote": site.base,
    TOOLBOOTH_OPERATOR_TOKEN: TOKEN,
  });
  const first = await json("payments reconcile");
  assert.deepEqual([first.ok, first.looked, first.settledNow.length], [true, 4, 1]);
  assert.equal((await credits()).balance, 760);
  assert.match(
    (await run("payments reconcile")).stdout,
    /^Compared 4 purchases .*: 4 unchanged, 0 corrected, 0 for you to decide/,
  );
  const { purchases } = await json(`payments list ${buyer.email}`);
  assert.equal(purchases.length, 4);
  const day = new Date().toISOString().slice(0, 10);
  const { totals } = await json(`report --from 2026-01-01 --to ${day}`);
  assert.deepEqual(totals.revenue, [
    { currency: "eur", purchases: 4, paid: "214.00", refunds: 1, refunded: "2.00" },
  ]);
  const { ok, faults } = await json("audit");
  assert.deepEqual([ok, faults], [true, []]);
});

test("the ledger reconciles, and only rejected events were logged", async () => {
  const { account } = buyer;
  const audit = await operate<{ ok: boolean }>("audit", { account, now: Date.now() });
  assert.ok(audit.ok, JSON.stringify(audit));
  const expected = /was rejected: it is not signed|was not processed; Stripe|An operator.s action/;
  assert.deepEqual(
    site.logs.filter((line) => !expected.test(line)),
    [],
  );
  assert.ok(!site.logs.some((line) => /sk_test|whsec_/.test(line)), "the log contains no secret");
});
