import assert from "node:assert/strict";
import { test } from "node:test";
import type { NotificationsView } from "#api/dashboard/shapes.ts";
import { signUnsubscription } from "#events/notification-emails.ts";
import { type Fixture, openFixture, openMember } from "./dashboard-fixture.ts";

const PATH = "/dashboard/notifications";
const BOTH = { low: true, expiring: true };

const tokenOf = (fixture: Fixture, account: string, topic: "low" | "expiring" = "low") =>
  signUnsubscription({ account, topic }, fixture.accountDeps.secrets);

/** As a mail program sends it (RFC 8058, section 3.2): no cookies, from nowhere. */
const postAlone = (fixture: Fixture, token: string) =>
  fixture
    .browser()
    .send("POST", `${PATH}/unsubscribe?token=${token}`, "List-Unsubscribe=One-Click", {
      origin: "",
      "sec-fetch-site": "",
      "content-type": "application/x-www-form-urlencoded",
    });

test("an owner sees and chooses the balance for the alert, and the emails", async () => {
  const fixture = openFixture();
  const { browser, account } = await openMember(fixture);
  assert.deepEqual((await browser.get(PATH)).body, { lowBalance: 20, emails: BOTH });
  const wanted: NotificationsView = { lowBalance: 500, emails: { low: true, expiring: false } };
  const result = await browser.put(PATH, wanted);
  assert.deepEqual([result.status, result.body], [200, wanted]);
  assert.deepEqual((await browser.get(PATH)).body, wanted);
  const accountState = await fixture.accountDeps.ledger.findAccount({ account, now: Date.now() });
  assert.equal(accountState?.lowBalance, 500);
});

test("saving the choice of emails alone leaves the ledger and its pending events unchanged", async () => {
  const fixture = openFixture();
  const { browser } = await openMember(fixture);
  const save = async (choice: NotificationsView) => {
    fixture.wasCarriedOut.length = 0;
    assert.equal((await browser.put(PATH, choice)).status, 200);
    return fixture.wasCarriedOut.filter((name) => name === "changeAccount").length;
  };
  const emails = { low: true, expiring: false };
  assert.equal(await save({ lowBalance: 20, emails }), 0);
  assert.deepEqual((await browser.get(PATH)).body, { lowBalance: 20, emails });
  assert.equal(await save({ lowBalance: 21, emails }), 1);
  assert.equal(await save({ lowBalance: 21, emails: BOTH }), 0);
});

test("a mail program unsubscribes from one kind of email with one POST, and a repeat does no harm", async () => {
  const fixture = openFixture();
  const { browser, account } = await openMember(fixture);
  for (let times = 0; times < 2; times += 1) {
    const result = await postAlone(fixture, tokenOf(fixture, account));
    assert.deepEqual([result.status, result.body], [200, { emails: "low" }]);
  }
  const emails = { low: false, expiring: true };
  assert.deepEqual((await browser.get(PATH)).body, { lowBalance: 20, emails });
  await postAlone(fixture, tokenOf(fixture, account, "expiring"));
  const none = { low: false, expiring: false };
  assert.deepEqual((await browser.get(PATH)).body, { lowBalance: 20, emails: none });
});

test("many can unsubscribe from one network at once, and do not delay other changes from there", async () => {
  const fixture = openFixture();
  const { browser, account } = await openMember(fixture);
  const token = tokenOf(fixture, account);
  for (let times = 0; times < 40; times += 1)
    assert.equal((await postAlone(fixture, token)).status, 200);
  assert.equal((await browser.put(PATH, { lowBalance: 30, emails: BOTH })).status, 200);
});

test("two links opened at the same moment end both kinds of email", async () => {
  const fixture = openFixture();
  const { browser, account } = await openMember(fixture);
  // Whoever reads first what is chosen, and writes it after that, loses what was written in between.
  for (const name of ["choice", "choose", "endLetters"]) fixture.slow.add(name);
  const sorts = ["low", "expiring"] as const;
  await Promise.all(sorts.map((sort) => postAlone(fixture, tokenOf(fixture, account, sort))));
  const none = { low: false, expiring: false };
  assert.deepEqual((await browser.get(PATH)).body, { lowBalance: 20, emails: none });
});

test("an unknown token or another account's token ends no emails", async () => {
  const fixture = openFixture();
  const { browser, account } = await openMember(fixture);
  const token = tokenOf(fixture, account);
  const wrong = [
    ...["", "x", token.slice(0, -1), `${token}0`, token.replace(".low.", ".expiring.")],
    token.replace(/^acc_(.)/, (_, first) => (first === "Z" ? "acc_0" : "acc_Z")),
    signUnsubscription({ account, topic: "low" }, ["another secret"]),
  ];
  for (const each of wrong) {
    const result = await postAlone(fixture, encodeURIComponent(each));
    assert.deepEqual([result.status, result.code], [400, "invalid_request"], each);
  }
  assert.deepEqual((await browser.get(PATH)).body, { lowBalance: 20, emails: BOTH });
});

test("opening the URL of the header ends nothing and leads to the page", async () => {
  const fixture = openFixture();
  const { browser, account } = await openMember(fixture);
  const token = tokenOf(fixture, account);
  const url = `${fixture.publicUrl}${PATH}/unsubscribe?token=${token}`;
  const response = await fixture.app.fetch(new Request(url), null);
  assert.equal(response.status, 303);
  assert.equal(response.headers.get("location"), `${fixture.publicUrl}/unsubscribe?token=${token}`);
  assert.deepEqual((await browser.get(PATH)).body, { lowBalance: 20, emails: BOTH });
});

test("the token of a closed account still works, and stores nothing", async () => {
  const fixture = openFixture();
  const { browser, account, email } = await openMember(fixture);
  const token = tokenOf(fixture, account);
  await browser.put(PATH, { lowBalance: 5, emails: { low: true, expiring: false } });
  assert.equal((await browser.post("/dashboard/account/close", { email })).status, 200);
  assert.equal((await postAlone(fixture, token)).status, 200);
  assert.deepEqual(await fixture.rows("SELECT * FROM notification_choice"), []);
});
