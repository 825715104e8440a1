/** What operators ask about sales over the network: page by page, and with a line of what was changed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { PaymentPage } from "#billing/payment-provider.ts";
import { openFixture, START } from "../../billing/billing-fixture.ts";
import { ask, createDeployment, linesOf } from "./deployment-fixture.ts";

test("payments are listed in pages and settled one by one, and each change is recorded", async (t) => {
  const fixture = await openFixture(t);
  const { purchases, billing, fake, buy, purchase, clock, grants } = fixture;
  const deployment = createDeployment({
    context: { purchases: purchases, billing: async () => billing },
  });
  const begun: string[] = [];
  for (let no = 0; no < 101; no += 1) {
    if (no % 10 === 0) clock.at += 3_600_000;
    begun.push((await buy()).session);
  }
  const paid = begun[0] as string;
  fake.pay(paid);

  const listed: string[] = [];
  let after: string | null = null;
  do {
    const { status, body } = await ask(deployment, "listPayments", { since: START, after });
    assert.equal(status, 200);
    const { payments, next } = body.outcome as PaymentPage;
    listed.push(...payments.map(({ session }) => session));
    after = next;
  } while (after !== null);
  assert.deepEqual(listed, begun.toReversed());

  for (const session of [paid, begun[1], paid]) {
    const settled = await ask(deployment, "settlePurchase", { ref: { session } });
    assert.equal(settled.body.outcome.outcome, "settled");
  }
  assert.deepEqual(await grants(), { grant: "100/100" });
  const [row] = await purchases.listAll({ after: null, max: 1 });
  assert.ok(row);
  assert.equal((await purchase(row.id)).session, paid);
  assert.deepEqual(await linesOf(deployment), [
    `settlePurchase | ${paid} | done: ${row.id} of ${row.account}, paid | 192.0.2.7`,
    "listPayments |  | done: 100 and more payments to compare | 192.0.2.7",
  ]);
});
