/** What depends on the store, over PostgreSQL. The other suites of the dashboard run over SQLite. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openFixture, openMember, useDashboardStore } from "../dashboard-fixture.ts";
import { postgresStore } from "./store.ts";
import { testInterruption, trouble, withTrouble } from "./trouble.ts";

useDashboardStore(() => postgresStore(withTrouble));
await import("../sign-up.test.ts");
await import("../keys.test.ts");
await import("../purchases.test.ts");
await import("../stolen-data.test.ts");

/** One of each kind of step: the ledger and the sign-in database, made and closed. `trouble.chaos.ts` has all of them. */
testInterruption("signs up", "lost");
testInterruption("signs in", "away");
testInterruption("makes a key", "lost");
testInterruption("closes the account", "away");

test("a user whose sign-out fails is still signed in, and can sign out later", async () => {
  const fixture = openFixture();
  const { browser } = await openMember(fixture);
  const count = async () => (await fixture.rows("SELECT id FROM user_session")).length;
  const before = await count();
  trouble.next = { kind: "away", after: 0 };
  assert.equal((await browser.post("/dashboard/auth/sign-out")).status, 503);
  trouble.next = null;
  assert.equal(await count(), before);
  assert.equal((await browser.get("/dashboard/home")).status, 200);
  assert.equal((await browser.post("/dashboard/auth/sign-out")).status, 200);
  assert.equal(await count(), before - 1);
});

test("a NUL in a query finds nothing, and is no error of the service", async () => {
  const fixture = openFixture();
  const { browser } = await openMember(fixture);
  const endpoint = { url: "https://hooks.example/in", kinds: ["credits.low"], paused: false };
  const added = await browser.post("/dashboard/webhooks", endpoint);
  const { id } = (added.body as { endpoint: { id: string } }).endpoint;
  for (const query of [
    "purchases?after=%00",
    "credits?after=o.1.%00",
    "credits/entries?tool=%00&key=a%00b",
    `webhooks/${id}/deliveries?after=%00`,
  ]) {
    const { status, text } = await browser.get(`/dashboard/${query}`);
    assert.equal(status, 200, `${query} ${text}`);
  }
  assert.deepEqual(fixture.loggedErrors, []);
});
