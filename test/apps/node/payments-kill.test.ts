/**
 * Kills the server between a Stripe event and the response. Stripe sends the event again, and the paid credits are granted
 * exactly once, whenever the process died.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { PricesView } from "#api/dashboard/shapes.ts";
import { startServer } from "../../http/server-process.ts";
import type { Message } from "../../stripe/messages.ts";
import { openPayments } from "./payments-fixture.ts";

/** Each round starts the server once. */
const ROUNDS = Number(process.env["TEST_SALES_KILLS"] ?? 2);
/** The server processes an event within this time. */
const SPREAD_MS = 60;
const seed = Number(process.env["TEST_SEED"] ?? Date.now() % 1_000_000);

test(`grants paid credits once if the server is killed during a Stripe event (seed ${seed})`, async (t) => {
  const { fake, env, account, buy, json } = await openPayments(t);
  const ada = await account("ada@example.org");
  let server = await startServer(t, env);
  const address = () => `${server.base}/webhooks/stripe`;
  const prices = (await (await fetch(`${server.base}/dashboard/prices`)).json()) as PricesView;
  assert.deepEqual([prices.payable, prices.packs[0]?.priceText], [true, "€5.00"]);

  for (let round = 0; round < ROUNDS; round += 1) {
    const { session } = await buy(ada);
    fake.pay(session);
    const message = completed(fake.take());
    // In the first round Stripe does not respond, so the server is killed before its own response.
    if (round === 0) fake.setAway("silence");
    const responded = fake.send(address(), message);
    await wait(round === 0 ? SPREAD_MS : ((seed * (round + 1)) % 97) * (SPREAD_MS / 97));
    await server.end("SIGKILL");
    const status = await responded;
    fake.setAway(null);
    assert.ok(round === 0 ? status === null : status === null || status === 200, `${status}`);

    server = await startServer(t, env);
    assert.equal(await fake.send(address(), message), 200);
    assert.equal(await fake.send(address(), message), 200);
    const { balance } = await json("credits show ada@example.org");
    assert.equal(balance, 100 * (round + 1));
    const { ok, faults } = await json("audit");
    assert.deepEqual([ok, faults], [true, []]);
  }
  await refusesOthers(server.base);
  await server.end("SIGTERM");
  const log = server.written();
  assert.match(log, /\/webhooks\/stripe was rejected/);
  for (const secret of [env.STRIPE_WEBHOOK_SECRET, env.STRIPE_SECRET_KEY]) {
    assert.ok(!log.includes(secret), "the log contains no secret");
  }
});

async function refusesOthers(base: string): Promise<void> {
  const wrong = await fetch(`${base}/webhooks/stripe`);
  assert.deepEqual([wrong.status, wrong.headers.get("allow")], [405, "POST"]);
  assert.equal((await post(base, "{}")).status, 400);
  // Larger than any request of the dashboard or of Stripe.
  assert.equal((await post(base, new Uint8Array(200 * 1024))).status, 400);
  assert.equal((await post(base, new Uint8Array(300 * 1024))).status, 413);
}

const post = (base: string, body: string | Uint8Array<ArrayBuffer>) =>
  fetch(`${base}/webhooks/stripe`, { method: "POST", body });

const completed = (messages: Message[]): Message => {
  const found = messages.find(({ type }) => type === "checkout.session.completed");
  assert.ok(found);
  return found;
};

test("without Stripe's settings there is no webhook route, but prices are shown", async (t) => {
  const { env } = await openPayments(t);
  const { STRIPE_SECRET_KEY: _, STRIPE_WEBHOOK_SECRET: __, ...without } = env;
  const plain = await startServer(t, without);
  const prices = (await (await fetch(`${plain.base}/dashboard/prices`)).json()) as PricesView;
  assert.deepEqual([prices.payable, prices.packs.length], [false, 2]);
  assert.equal((await post(plain.base, "{}")).status, 404);
  await plain.end("SIGTERM");
});
