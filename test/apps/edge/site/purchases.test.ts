import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  CheckoutView,
  CreditsView,
  PricesView,
  PurchasesView,
  PurchaseView,
} from "#api/dashboard/shapes.ts";
import { STRIPE_MESSAGE_BYTES_MAX } from "#limits.ts";
import type { Message } from "../../../stripe/messages.ts";
import { commandLine, temporaryFolder } from "../../cli/fixture.ts";
import {
  edgeMember,
  operate,
  STARTER_CREDITS,
  site,
  stripe,
  TOKEN,
  unexpectedLogs,
} from "./fixture.ts";

/** Purchases at the edge, with Stripe's build for Workers, its fetch client and SubtleCrypto in workerd. */
const MESSAGES = `${site.base}/webhooks/stripe`;
const buyer = await edgeMember("buyer");

async function buy(offer: string) {
  const begun = await buyer.post("/dashboard/purchases", { offer });
  assert.equal(begun.status, 201, begun.text);
  const { id, url } = begun.body as CheckoutView;
  return { id, session: url.split("/").at(-1) as string };
}

async function sendAll(messages: readonly Message[] = stripe.take()): Promise<number[]> {
  const statuses: number[] = [];
  for (const message of messages) statuses.push((await stripe.send(MESSAGES, message)) as number);
  return [...new Set(statuses)];
}

/** The credits of the buyer, without those of every new user. */
async function bought() {
  const view = (await buyer.get("/dashboard/credits")).body as CreditsView;
  const grants = view.grants.length - 1;
  return { balance: view.balance - STARTER_CREDITS, grants, lifetime: view.lifetime };
}
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
  stripe.pay(session);
  const paid = stripe.take();
  assert.deepEqual(await sendAll([...paid, ...paid].reverse()), [200]);
  assert.deepEqual(await bought(), { balance: 100, grants: 1, lifetime: false });
  assert.equal((await newest())?.state, "paid");
  assert.match((await newest())?.receiptUrl ?? "", /\/receipt\//);

  stripe.refund(session, 200);
  assert.deepEqual(await sendAll(), [200]);
  assert.equal((await bought()).balance, 60);
  const seen = await newest();
  assert.deepEqual([seen?.id, seen?.state, seen?.voided], [id, "partly_refunded", 40]);
});

test("events that are modified, unsigned, too large or of other accounts change nothing", async () => {
  const { session } = await buy("small");
  stripe.pay(session);
  const [message] = stripe.take() as [Message];
  const signature = stripe.signatureOf(message);
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
  assert.equal(
    await post(text.padEnd(STRIPE_MESSAGE_BYTES_MAX + 1), { "stripe-signature": signature }),
    413,
  );
  assert.equal((await fetch(MESSAGES)).status, 405);
  assert.equal((await bought()).balance, 60);
  stripe.foreign();
  assert.equal((await bought()).grants, 1);
});

test("an operator reconciles payments over the network, which settles missed events", async () => {
  const { run, json } = commandLine(temporaryFolder(), {
    "--remote": site.base,
    TOOLBOOTH_OPERATOR_TOKEN: TOKEN,
  });
  const first = await json("payments reconcile");
  assert.deepEqual([first.ok, first.looked, first.settledNow.length], [true, 2, 1]);
  assert.equal((await bought()).balance, 160);
  assert.match(
    (await run("payments reconcile")).stdout,
    /^Compared 2 purchases .*: 2 unchanged, 0 corrected, 0 for you to decide/,
  );
  const { purchases } = await json(`payments list ${buyer.email}`);
  assert.equal(purchases.length, 2);
  const day = new Date().toISOString().slice(0, 10);
  const { totals } = await json(`report --from 2026-01-01 --to ${day}`);
  assert.deepEqual(totals.revenue, [
    { currency: "eur", purchases: 2, paid: "10.00", refunds: 1, refunded: "2.00" },
  ]);
});

test("the ledger reconciles, and only rejected events were logged", async () => {
  const audit = await operate<{ ok: boolean }>("audit", {});
  assert.ok(audit.ok, JSON.stringify(audit));
  assert.deepEqual(unexpectedLogs(), []);
  assert.ok(!site.logs.some((line) => /sk_test|whsec_/.test(line)), "the log contains no secret");
});
