/** The dashboard with a price list, and with the fake of Stripe behind the real SDK. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type {
  CheckoutView,
  CreditsView,
  PurchasesView,
  PurchaseView,
} from "#api/dashboard/shapes.ts";
import { createStripeProvider, type StripeOptions } from "#billing/stripe.ts";
import { pricesOf } from "../../billing/billing-fixture.ts";
import { fakeOptions, startFakeStripe } from "../../stripe/fake-stripe.ts";
import type { Message } from "../../stripe/messages.ts";
import { clock, SECOND } from "./clock.ts";
import { type Member, openFixture, openMember } from "./dashboard-fixture.ts";

export const CONTACT = "sales@example.org";

export type Sales = Awaited<ReturnType<typeof openSales>>;

export async function openSales(t: TestContext, stripe: Partial<StripeOptions> = {}) {
  clock.start();
  const now = () => Date.now();
  const fake = await startFakeStripe({ now });
  const provider = createStripeProvider(fakeOptions({ api: fake.api, now, ...stripe }));
  // Before the scene, whose stores are closed in their turn.
  t.after(() => audit().finally(fake.close));
  const fixture = openFixture({ sales: { prices: pricesOf({ contact: CONTACT }), provider } });
  const buyer = await openMember(fixture);
  async function audit(): Promise<void> {
    await fixture.settle();
    const { faults } = await fixture.accountDeps.ledger.audit({
      account: buyer.account,
      now: now(),
    });
    assert.deepEqual(faults, []);
  }

  /** Begins a purchase; its id, and the page's at Stripe. */
  async function buy(offer = "small", { browser }: Member = buyer) {
    const begun = await browser.post("/dashboard/purchases", { offer });
    assert.equal(begun.status, 201, begun.text);
    const { id, url } = begun.body as CheckoutView;
    return { id, url, session: url.split("/").at(-1) as string };
  }
  /** As the page that people come back to asks: once in a while. */
  async function look(id: string, { browser }: Member = buyer): Promise<PurchaseView> {
    clock.advance(2 * SECOND);
    const response = await browser.get(`/dashboard/purchases/${id}`);
    assert.equal(response.status, 200, response.text);
    return response.body as PurchaseView;
  }
  const list = async ({ browser }: Member = buyer) =>
    ((await browser.get("/dashboard/purchases")).body as PurchasesView).purchases;
  const credits = async ({ browser }: Member = buyer) =>
    (await browser.get("/dashboard/credits")).body as CreditsView;
  const balance = async (of?: Member) => (await credits(of)).balance;

  /** What comes to the address for messages: without cookies, and from no page. */
  function send(body: Uint8Array, signature: string | null, peer = "192.0.2.77") {
    const headers = new Headers({ "content-type": "application/json; charset=utf-8" });
    if (signature !== null) headers.set("stripe-signature", signature);
    const init = { method: "POST", headers, body: body as Uint8Array<ArrayBuffer> };
    return fixture.app.fetch(new Request(`${fixture.publicUrl}/webhooks/stripe`, init), peer);
  }
  const receive = (message: Message) => send(message.body, fake.signatureOf(message));
  /** Hands over what Stripe has told since; the statuses of the answers. */
  async function receiveAll(messages = fake.take()): Promise<number[]> {
    const statuses: number[] = [];
    for (const message of messages) statuses.push((await receive(message)).status);
    return statuses;
  }
  return {
    ...{ fixture, fake, buyer, buy, look, list, credits, balance, send, receive, receiveAll },
  };
}
