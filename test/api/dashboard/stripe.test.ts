/** The webhooks of Stripe, a Stripe that is unavailable, and the limits on purchases. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { LOOK_PATIENCE_MS } from "#api/dashboard/purchases.ts";
import type { PurchasesView } from "#api/dashboard/shapes.ts";
import { eventually } from "../../http/test-api.ts";
import { FAKE_SECRET_KEY, FAKE_WEBHOOK_SECRET } from "../../stripe/fake-stripe.ts";
import { clock, DAY, HOUR, SECOND } from "./clock.ts";
import { openMember } from "./dashboard-fixture.ts";
import { openSales } from "./purchases-fixture.ts";

test("an account begins ten purchases an hour, and its history comes in pages", async (t) => {
  const { fixture, buy, buyer } = await openSales(t);
  const bought: string[] = [];
  for (let no = 0; no < 10; no += 1) bought.unshift((await buy()).id);
  const eleventh = await buyer.browser.post("/dashboard/purchases", { offer: "small" });
  assert.deepEqual([eleventh.status, eleventh.code], [429, "too_many_requests"]);
  const seconds = Number(eleventh.headers.get("retry-after"));
  assert.ok(seconds > 3_500 && seconds <= 3_600, `${seconds}`);
  for (let no = 0; no < 22; no += 1) {
    clock.advance(HOUR);
    bought.unshift((await buy()).id);
  }
  const page = async (query: string) =>
    (await buyer.browser.get(`/dashboard/purchases${query}`)).body as PurchasesView;
  const first = await page("");
  const second = await page(`?after=${first.next}`);
  const ids = [first, second].flatMap(({ purchases }) => purchases.map(({ id }) => id));
  assert.deepEqual(ids.slice(0, 23), bought.slice(0, 23));
  assert.deepEqual([new Set(ids).size, first.purchases.length, second.next], [32, 30, null]);
  const other = await openMember(fixture);
  const theirs = (await other.browser.get(`/dashboard/purchases?after=${first.next}`)).body;
  assert.deepEqual(theirs, { purchases: [], next: null });
  await fixture.settle();
});

test("a page that polls a purchase asks Stripe once in two seconds", async (t) => {
  const { fake, buy, buyer, look } = await openSales(t);
  const { id } = await buy();
  await look(id);
  const before = fake.requests.length;
  for (let no = 0; no < 8; no += 1) {
    clock.advance(SECOND / 2);
    assert.equal((await buyer.browser.get(`/dashboard/purchases/${id}`)).status, 200);
  }
  assert.equal(fake.requests.length - before, 2);
});

test("a webhook grants the credits once, without a session, a cookie or an origin", async (t) => {
  const { fake, buy, balance, receive, receiveAll, list } = await openSales(t);
  const { session } = await buy();
  fake.pay(session);
  const messages = fake.take();
  // The last first, and each three times.
  for (const message of messages.toReversed()) {
    for (let no = 0; no < 3; no += 1) assert.equal((await receive(message)).status, 200);
  }
  assert.equal(await balance(), 200);
  assert.equal((await list())[0]?.state, "paid");
  assert.deepEqual(
    await receiveAll(messages),
    messages.map(() => 200),
  );
  assert.equal(await balance(), 200);
});

test("a changed, unsigned or outdated webhook is rejected, and the log quotes nothing of it", async (t) => {
  const { fixture, fake, buy, balance, send, receive } = await openSales(t);
  const { session } = await buy();
  fake.pay(session);
  const [message] = fake.take();
  assert.ok(message);
  const good = fake.signatureOf(message);
  const { body } = message;
  const changed = body.map((byte, place) => (place === 40 ? byte ^ 1 : byte));
  const bad = [
    await send(changed, good),
    await send(body, null),
    await send(body, "t=1,v1=00"),
    await send(new Uint8Array(0), good),
  ];
  clock.advance(360 * SECOND);
  bad.push(await send(body, good));
  for (const response of bad) {
    assert.equal(response.status, 400);
    assert.match(await response.text(), /not signed with the secret/);
  }
  assert.equal(await balance(), 100);
  const log = fixture.loggedErrors.join("\n");
  assert.equal(fixture.loggedErrors.length, 2, log);
  assert.match(fixture.loggedErrors[0] ?? "", /not signed with STRIPE_WEBHOOK_SECRET/);
  assert.match(fixture.loggedErrors[1] ?? "", /signed more than five minutes ago.* clock/);
  for (const secret of [session, good, FAKE_WEBHOOK_SECRET, FAKE_SECRET_KEY, "evt_"]) {
    assert.ok(!log.includes(secret), secret);
  }
  assert.equal((await receive(message)).status, 200);
  assert.equal(await balance(), 200);
});

test("bad webhooks neither flood the log nor keep good ones out", async (t) => {
  const { fixture, fake, buy, send, receive, balance } = await openSales(t);
  const statuses: number[] = [];
  const peer = "198.51.100.4";
  for (let no = 0; no < 40; no += 1) {
    statuses.push((await send(new Uint8Array([123]), "t=1,v1=00", peer)).status);
  }
  assert.deepEqual([...new Set(statuses)], [400, 429]);
  assert.equal(fixture.loggedErrors.length, 1);
  clock.advance(HOUR);
  assert.equal((await send(new Uint8Array([123]), "t=1,v1=00", peer)).status, 400);
  const before = statuses.filter((status) => status === 400).length - 1;
  assert.equal(fixture.loggedErrors.length, 2);
  assert.match(
    fixture.loggedErrors[1] ?? "",
    new RegExp(` was rejected, and ${before} more like it since the last report`),
  );
  const { session } = await buy();
  fake.pay(session);
  for (const message of fake.take()) {
    const signature = fake.signatureOf(message);
    assert.equal((await send(message.body, signature, peer)).status, 200, "even from there");
    assert.equal((await receive(message)).status, 200);
  }
  assert.equal(await balance(), 200);
});

test("while Stripe is unavailable, requests get 503, and everything is settled when it is back", async (t) => {
  const { fixture, fake, buy, look, list, balance, buyer, receive } = await openSales(t);
  const { id, session } = await buy();
  fake.pay(session);
  fake.setAway("500");
  const order = { offer: "large" };
  const refused = await buyer.browser.post("/dashboard/purchases", order);
  assert.deepEqual([refused.status, refused.code], [503, "unavailable"]);
  assert.ok(Number(refused.headers.get("retry-after")) > 0);
  assert.match(refused.text, /You have not been charged/);
  // The others are about nothing that we ask Stripe for.
  const messages = fake.take().filter(({ type }) => !type.startsWith("invoice."));
  assert.ok(messages.some(({ type }) => type === "checkout.session.completed"));
  for (const message of messages) {
    const response = await receive(message);
    assert.equal(response.status, 503);
    assert.ok(Number(response.headers.get("retry-after")) > 0);
  }
  assert.equal((await look(id)).state, "open", "as far as anybody can say");
  assert.equal(await balance(), 100);

  fake.setAway(null);
  assert.equal((await look(id)).state, "paid");
  for (const message of messages) assert.equal((await receive(message)).status, 200);
  assert.equal(await balance(), 200);
  assert.ok(fixture.loggedErrors.length >= 2);
  // The one that was refused has no page, and is over when its time is.
  clock.advance(DAY);
  assert.deepEqual((await list()).map(({ state }) => state).sort(), ["expired", "paid"]);
});

test("a signed body that is not an event, or is about another service's payment, is accepted and changes nothing", async (t) => {
  const { fixture, fake, send, receiveAll, balance, list } = await openSales(t);
  const body = new TextEncoder().encode("null");
  const response = await send(body, fake.signatureOf({ id: "evt_1", type: "odd", body }));
  assert.deepEqual([response.status, fixture.loggedErrors], [200, []]);
  assert.deepEqual(await response.json(), { received: true, outcome: "ignored" });
  fake.pay(fake.foreign());
  assert.deepEqual([...new Set(await receiveAll())], [200]);
  assert.deepEqual([await balance(), await list()], [100, []]);
});

test("while Stripe is silent, the stored state is returned soon, and settling continues in the background", async (t) => {
  const { fixture, fake, buy, look, list, balance } = await openSales(t, { retries: 1 });
  const { id, session } = await buy();
  fake.pay(session);
  const wait = globalThis.setTimeout;
  // The patience is over at once; all else takes its time.
  const timers = t.mock.method(globalThis, "setTimeout", (act: () => void, ms = 0, ...rest: []) =>
    wait(act, ms === LOOK_PATIENCE_MS ? 0 : ms, ...rest),
  );
  fake.faultNext("silence");
  assert.equal((await look(id)).state, "open");
  assert.ok(timers.mock.calls.some(({ arguments: [, ms] }) => ms === LOOK_PATIENCE_MS));
  await eventually("Stripe was asked", async () => fake.silent.length === 1);
  fake.silent[0]?.destroy();
  await fixture.settle();
  assert.equal((await list())[0]?.state, "paid");
  assert.equal(await balance(), 200);
});

test("a webhook gets 503 if the ledger or the purchase store fails, and the next one completes it", async (t) => {
  for (const operation of ["grant", "clawback", "update", "find"]) {
    const { fixture, fake, buy, balance, receive } = await openSales(t);
    const { session } = await buy();
    fake.pay(session);
    const [message] = fake.take();
    assert.ok(message);
    fixture.failing.set(operation, 1);
    assert.equal((await receive(message)).status, 503, operation);
    assert.equal((await receive(message)).status, 200, operation);
    assert.equal(await balance(), 200, operation);
  }
});

test("an invalid Stripe key is reported to the operator alone", async (t) => {
  const { fixture, buyer } = await openSales(t, { secretKey: "sk_test_another_key" });
  const refused = await buyer.browser.post("/dashboard/purchases", { offer: "small" });
  assert.equal(refused.status, 503);
  assert.doesNotMatch(refused.text, /Stripe|STRIPE|key/);
  const log = fixture.loggedErrors.join("\n");
  assert.match(log, /Stripe does not accept STRIPE_SECRET_KEY/);
  assert.doesNotMatch(log, /sk_test_another_key/);
});

test("a payment for a closed account is reported to the operator once, with the payment to refund", async (t) => {
  const { fixture, fake, buyer, buy, receiveAll } = await openSales(t);
  const { id, session } = await buy();
  await fixture.accountDeps.ledger.changeAccount({
    account: buyer.account,
    now: Date.now(),
    state: "closed",
  });
  fake.pay(session);
  const messages = fake.take();
  for (let no = 0; no < 2; no += 1) {
    assert.deepEqual(
      await receiveAll(messages),
      messages.map(() => 200),
    );
  }
  const payment = fake.paymentOf(session);
  const told = `${id} was paid, but its account is closed: refund ${payment} in Stripe's dashboard`;
  assert.equal(fixture.loggedErrors.length, 1);
  assert.ok(fixture.loggedErrors[0]?.startsWith(told), fixture.loggedErrors[0]);
});
