/** What operators do about sales over the network: page by page, and with a line for each page. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openFixture, START } from "../../billing/billing-fixture.ts";
import { ask, createDeployment, linesOf } from "./deployment-fixture.ts";

test("payments are compared in pages, each purchase once, and each page is recorded", async (t) => {
  const { purchases, billing, fake, buy, purchase, clock, grants } = await openFixture(t);
  const deployment = createDeployment({ context: { purchases, billing } });
  const begun: string[] = [];
  for (let no = 0; no < 101; no += 1) {
    if (no % 10 === 0) clock.at += 3_600_000;
    begun.push((await buy()).session);
  }
  const paid = begun[0] as string;
  fake.pay(paid);

  const since = new Date(START).toISOString().slice(0, 10);
  const pages: { looked: number; settledNow: { session: string }[] }[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const { status, body } = await ask(deployment, "payments reconcile", {
      ...{ since, ...(after && { after }) },
    });
    assert.equal(status, 200);
    pages.push(body.result);
    after = body.result.next;
  }
  assert.equal(
    pages.reduce((sum, { looked }) => sum + looked, 0),
    101,
  );
  assert.ok(pages.length > 1 && pages.every(({ looked }) => looked <= 100));
  const settled = pages.flatMap(({ settledNow }) => settledNow.map(({ session }) => session));
  assert.deepEqual(settled, [paid]);
  assert.deepEqual(await grants(), { grant: "100/100" });
  const [row] = await purchases.listAll({ after: null, max: 1 });
  assert.ok(row);
  assert.equal((await purchase(row.id)).session, paid);
  const [last, ...others] = await linesOf(deployment);
  assert.equal(others.length, pages.length - 1);
  assert.equal(last, "payments reconcile |  | done: 1 compared, 0 corrected | 192.0.2.7");
});
