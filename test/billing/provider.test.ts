/** The Stripe provider against the fake: requests over the wire, and how errors are classified. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import {
  type PaymentPage,
  type PaymentProvider,
  type PaymentState,
  ProviderRejected,
  ProviderUnavailable,
} from "#billing/payment-provider.ts";
import type { Offer } from "#billing/price-list.ts";
import { createStripeProvider, type StripeOptions } from "#billing/stripe.ts";
import {
  type ApiFault,
  FAKE_SERVICE,
  fakeOptions,
  startFakeStripe,
} from "../stripe/fake-stripe.ts";
import { START } from "./billing-fixture.ts";

const OFFER: Offer = {
  ...({ id: "small", kind: "pack", name: "Größe S & Co. [1]=%?", credits: 1000 } as const),
  ...{ price: 500, currency: "eur", months: 12 },
};
const ORDER = {
  ...{ purchase: "pur_1", account: "acc_Ada000000000", offer: OFFER, email: "ada+1@example.org" },
  ...({ taxes: "none" } as const),
  successUrl: "https://toolbooth.test/credits?purchase=pur_1&a=b",
  cancelUrl: "https://toolbooth.test/credits?cancelled=pur_1",
  expiresAt: START + 3_600_000,
};

async function open(
  t: TestContext,
  more: Partial<StripeOptions> = {},
  make = createStripeProvider,
) {
  const fake = await startFakeStripe({ now: () => START });
  t.after(() => fake.close());
  const provider = make(fakeOptions({ api: fake.api, now: () => START, ...more }));
  return { fake, provider };
}

test("a checkout page is opened with everything needed to rebuild the purchase", async (t) => {
  const { fake, provider } = await open(t);
  const page = await provider.open(ORDER);
  assert.equal(page.url, `${fake.api}/pay/${page.session}`);
  const [request] = fake.requests;
  const metadata = {
    ...{ purchase: "pur_1", account: "acc_Ada000000000", offer: "small", kind: "pack" },
    service: FAKE_SERVICE,
    ...{ name: OFFER.name, credits: "1000", months: "12", price: "500" },
  };
  assert.deepEqual(request, {
    ...{ method: "POST", path: "/v1/checkout/sessions", idempotencyKey: "pur_1" },
    form: {
      mode: "payment",
      line_items: [
        {
          quantity: "1",
          price_data: {
            ...{ currency: "eur", unit_amount: "500" },
            product_data: {
              name: OFFER.name,
              description: "1,000 credits, valid for 12 months",
            },
          },
        },
      ],
      client_reference_id: "pur_1",
      customer_email: "ada+1@example.org",
      metadata,
      payment_intent_data: { metadata },
      invoice_creation: { enabled: "true", invoice_data: { metadata } },
      adaptive_pricing: { enabled: "false" },
      success_url: ORDER.successUrl,
      cancel_url: ORDER.cancelUrl,
      expires_at: String(ORDER.expiresAt / 1000),
    },
  });
  const state = await provider.fetchPayment({ session: page.session });
  assert.deepEqual(state?.bought, {
    ...{ id: "small", kind: "pack", name: OFFER.name, credits: 1000, months: 12, price: 500 },
  });
  assert.deepEqual([state?.purchase, state?.account], ["pur_1", "acc_Ada000000000"]);
});

test("with automatic taxes, Stripe asks for the address and adds taxes to the price", async (t) => {
  const { fake, provider } = await open(t);
  const { session } = await provider.open({ ...ORDER, taxes: "automatic" });
  const form = fake.requests[0]?.form;
  assert.deepEqual(form?.["automatic_tax"], { enabled: "true" });
  assert.deepEqual(form?.["tax_id_collection"], { enabled: "true" });
  assert.equal(form?.["billing_address_collection"], "required");
  fake.pay(session);
  assert.equal((await provider.fetchPayment({ session }))?.paid, 595);
});

test("the same order returns the same page, and a different order with its key is rejected", async (t) => {
  const { fake, provider } = await open(t);
  const first = await provider.open(ORDER);
  assert.deepEqual(await provider.open(ORDER), first);
  await assert.rejects(provider.open({ ...ORDER, email: "bob@example.org" }), ProviderRejected);
  assert.equal(fake.newest(), first.session);
});

test("when a response is lost the SDK retries, and there is one page", async (t) => {
  for (const fault of ["reset late", "500 late", "500"] as const) {
    const { fake, provider } = await open(t, { retries: 2 });
    fake.faultNext(fault);
    const { session } = await provider.open(ORDER);
    const pages: string[] = [];
    for (const state of await listAll(provider, 0)) pages.push(state.session);
    assert.deepEqual(pages, [session]);
  }
});

/** Every payment begun at or after `since`, page by page. */
async function listAll({ list }: PaymentProvider, since: number): Promise<PaymentState[]> {
  const all: PaymentState[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page: PaymentPage = await list({ since, after: after ?? null });
    all.push(...page.payments);
    after = page.next;
  }
  return all;
}

const AWAY: ApiFault[] = [
  ...(["500", "429", "reset", "silence", "nonsense"] as const),
  // JSON of a proxy: Stripe's library looks at `error` in a body, and not at the status.
  ...(["proxy 503", "proxy 200"] as const),
];

for (const fetchClient of [false, true]) {
  test(`${fetchClient ? "with fetch" : "with Node's client"}, every call to an unavailable provider throws ProviderUnavailable`, async (t) => {
    const { fake, provider } = await open(t, { fetchClient });
    const { session } = await provider.open(ORDER);
    const options = { api: fake.api, fetchClient, timeoutMs: 150, now: () => START };
    const hasty = createStripeProvider(fakeOptions(options));
    for (const fault of AWAY) {
      fake.setAway(fault);
      const { open: begin, fetchPayment, list } = fault === "silence" ? hasty : provider;
      await assert.rejects(begin({ ...ORDER, purchase: "pur_2" }), ProviderUnavailable, fault);
      await assert.rejects(fetchPayment({ session }), ProviderUnavailable, fault);
      await assert.rejects(fetchPayment({ payment: "pi_1" }), ProviderUnavailable, fault);
      await assert.rejects(list({ since: START, after: null }), ProviderUnavailable, fault);
    }
    fake.setAway(null);
    assert.equal((await provider.fetchPayment({ session }))?.status, "open");
  });
}

test("a wrong key is reported to the operator with what to do, and without the key", async (t) => {
  const { provider } = await open(t, { secretKey: "sk_test_misspelt" });
  await assert.rejects(provider.fetchPayment({ session: "cs_1" }), (error: unknown) => {
    assert.ok(error instanceof ProviderRejected);
    assert.match(error.message, /STRIPE_SECRET_KEY/);
    assert.doesNotMatch(error.message, /sk_test/);
    return true;
  });
});

test("a rejection is reported to the operator with Stripe's codes and without the buyer's email", async (t) => {
  const { provider } = await open(t);
  const email = "no address of grace@example.org";
  await assert.rejects(provider.open({ ...ORDER, purchase: "pur_2", email }), (error: unknown) => {
    assert.ok(error instanceof ProviderRejected);
    assert.match(
      error.message,
      /status 400, code email_invalid, parameter customer_email, request /,
    );
    assert.doesNotMatch(JSON.stringify([error.message, error.cause ?? null]), /grace/);
    return true;
  });
});

test("an unknown payment is null, and another service's page names no purchase", async (t) => {
  const { fake, provider } = await open(t);
  assert.equal(await provider.fetchPayment({ session: "cs_test_unknown" }), null);
  assert.equal(await provider.fetchPayment({ payment: "pi_unknown" }), null);
  const state = await provider.fetchPayment({ session: fake.foreign() });
  assert.deepEqual([state?.purchase, state?.account, state?.bought], [null, null, null]);
});

test("payments of another Toolbooth at the same account are ignored, and those under an older secret are ours", async (t) => {
  const { fake, provider: before } = await open(t);
  const at = (...services: [string, ...string[]]) =>
    createStripeProvider(fakeOptions({ api: fake.api, services, now: () => START }));
  const { session } = await before.open(ORDER);
  fake.pay(session);
  const tellsOf = async (provider: PaymentProvider) => {
    const listed: string[] = [];
    for (const state of await listAll(provider, START)) listed.push(state.session);
    const state = await provider.fetchPayment({ session });
    return [state?.purchase, state?.account, state?.bought?.id, listed];
  };
  const ours = ["pur_1", "acc_Ada000000000", "small", [session]];
  assert.deepEqual(await tellsOf(at("ffff000011112222", FAKE_SERVICE)), ours);
  assert.deepEqual(await tellsOf(at("ffff000011112222")), [null, null, undefined, []]);
});

test("opening a page is attempted at most twice, because a user is waiting", async (t) => {
  const { fake, provider } = await open(t, { retries: 2 });
  fake.faultNext("500", "500", "500");
  await assert.rejects(provider.open(ORDER), ProviderUnavailable);
  assert.ok((await provider.open(ORDER)).session, "the third fault was still to come");
  assert.equal(fake.requests.length, 1);
});

test("a signed body that is not an event is ignored", async (t) => {
  const { fake, provider } = await open(t);
  for (const text of ["null", "5", "[]", "{}", '{"data":null}', '{"data":{"object":null}}']) {
    const body = new TextEncoder().encode(text);
    const message = { id: "evt_1", type: "odd", body };
    assert.equal(await provider.readWebhook(body, fake.signatureOf(message)), null, text);
  }
});

test("all our payments are listed over all pages, without those of others", async (t) => {
  const { fake, provider } = await open(t);
  const opened: string[] = [];
  for (let no = 0; no < 120; no += 1) {
    if (no % 40 === 0) fake.foreign();
    const { session } = await provider.open({ ...ORDER, purchase: `pur_${no}` });
    opened.push(session);
  }
  fake.pay(opened[3] as string);
  fake.dispute(opened[3] as string, "lost");
  const listed: string[] = [];
  let lost = 0;
  for (const { session, dispute } of await listAll(provider, START)) {
    listed.push(session);
    if (dispute === "lost") lost += 1;
  }
  assert.deepEqual(listed, opened.reverse());
  assert.equal(lost, 1);
  assert.deepEqual(await provider.list({ since: START + 1000, after: null }), {
    ...{ payments: [], next: null },
  });
  const first = await provider.list({ since: START, after: null });
  assert.ok(first.payments.length < 100 && first.next !== null, "others have a share in it");
});

/** The build for Workers: bundled with the conditions of workerd, without Node's modules. */
async function buildForWorkers(t: TestContext): Promise<typeof createStripeProvider> {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-stripe-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const outfile = path.join(folder, "stripe.mjs");
  await build({
    entryPoints: [path.join(import.meta.dirname, "../../src/billing/stripe.ts")],
    ...{ bundle: true, format: "esm", platform: "browser", outfile, logLevel: "silent" },
    conditions: ["workerd", "worker", "browser"],
  });
  const made = (await import(pathToFileURL(outfile).href)) as {
    createStripeProvider: typeof createStripeProvider;
  };
  return made.createStripeProvider;
}

test("the build for Workers works the same over fetch and SubtleCrypto", async (t) => {
  const make = await buildForWorkers(t);
  const { fake, provider } = await open(t, { fetchClient: true }, make);
  const { session } = await provider.open(ORDER);
  fake.pay(session);
  fake.refund(session, 100);
  const state = (await provider.fetchPayment({ session })) as NonNullable<
    Awaited<ReturnType<PaymentProvider["fetchPayment"]>>
  >;
  assert.deepEqual([state.status, state.paid, state.refunded], ["paid", 500, 100]);
  const byPayment = await provider.fetchPayment({ payment: state.payment ?? "" });
  assert.deepEqual(byPayment, state);
  const messages = fake.take();
  const refunded = messages.find(({ type }) => type === "charge.refunded");
  assert.ok(refunded);
  assert.deepEqual(await provider.readWebhook(refunded.body, fake.signatureOf(refunded)), {
    payment: state.payment,
  });
  await assert.rejects(provider.readWebhook(refunded.body, "t=1,v1=00"), {
    message: /Invalid signature of a Stripe webhook/,
  });
});
