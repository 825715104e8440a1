import assert from "node:assert/strict";
import { test } from "node:test";
import { openAccount } from "#accounts/accounts.ts";
import type { RequestedBounds } from "#email/requested-bounds.ts";
import { HOUR_MS } from "#limits.ts";
import type { ApiResponse } from "./browser.ts";
import { clock } from "./clock.ts";
import { openFixture, openMember, PASSWORD } from "./dashboard-fixture.ts";

/** All that an asker sees, without what is random. */
function shapeOf({ status, headers, body }: ApiResponse): unknown {
  const shown = [...headers]
    .filter(([name]) => !["x-request-id", "set-cookie"].includes(name))
    .sort();
  const cookies = headers
    .getSetCookie()
    .map((text) => text.replace(/_[0-9a-f]{8}=[0-9a-f]{32};/, "_=;"));
  const { requestId: _, ...rest } = body as { requestId?: string };
  return { status, shown, cookies, rest };
}

async function openTown(requestedEmails?: RequestedBounds) {
  const fixture = openFixture(requestedEmails === undefined ? {} : { requestedEmails });
  const known = await openMember(fixture);
  await fixture.signUp(fixture.browser(), "waiting@example.com", PASSWORD);
  await openAccount(fixture.accountDeps, "operated@example.com", Date.now());
  await fixture.settle();
  fixture.emails.length = 0;
  const addresses = [
    known.email,
    "waiting@example.com",
    "operated@example.com",
    "unknown@example.com",
  ];
  return { fixture, known, addresses };
}

const QUESTIONS: [string, (email: string) => [string, object], string[][]][] = [
  [
    "a sign-up",
    (email) => ["sign-up/email", { email, password: "another password" }],
    [["address_in_use"], ["verify_address"], ["verify_address"], ["verify_address"]],
  ],
  [
    "a reset",
    (email) => ["request-password-reset", { email, redirectTo: "/reset-password" }],
    [["reset_password"], ["reset_password"], [], []],
  ],
  [
    "asking for the email again",
    (email) => ["send-verification-email", { email }],
    [[], ["verify_address"], [], []],
  ],
  [
    "a sign-in with a wrong password",
    (email) => ["sign-in/email", { email, password: "not the password" }],
    [[], [], [], []],
  ],
];

for (const [name, ask, emails] of QUESTIONS) {
  test(`${name} gets the same response for every address; only the emails differ`, async () => {
    const { fixture, addresses } = await openTown();
    const responses = await Promise.all(
      addresses.map((email) => {
        const [path, body] = ask(email);
        return fixture.browser().send("POST", `/dashboard/auth/${path}`, body);
      }),
    );
    const [first, ...others] = responses.map(shapeOf);
    for (const other of others) assert.deepEqual(other, first);
    for (const [turn, email] of addresses.entries()) {
      const kinds = (await fixture.emailsTo(email)).map(({ kind }) => kind);
      assert.deepEqual(kinds, emails[turn], email);
    }
  });
}

for (const [name, ask] of QUESTIONS) {
  test(`${name} counts the same for every address: what a network may still request reveals nothing`, async () => {
    const { fixture, addresses } = await openTown({ perHour: 60, perDay: 0 });
    // A tenth of the emails of a UTC hour may be caused from one network: six.
    clock.advance(HOUR_MS - (clock.now() % HOUR_MS));
    for (const [turn, address] of addresses.entries()) {
      // So many sign-ups within a minute would need proofs of work.
      clock.advance(60_000);
      const asker = (each: number) => fixture.browser(`203.0.${turn}.${each}`);
      const emailOf = (each: number) => `asker${turn}-${each}@example.net`;
      const join = async (each: number) =>
        (await fixture.signUp(asker(each), emailOf(each), PASSWORD)).code;
      for (let each = 0; each < 4; each += 1)
        assert.equal(await join(each), undefined, `sign-up ${each}`);
      const [path, body] = ask(address);
      const cost = path === "sign-in/email" ? 0 : 1;
      await asker(100).post(`/dashboard/auth/${path}`, body);
      for (let each = 4; each < 6 - cost; each += 1)
        assert.equal(await join(each), undefined, `sign-up ${each}`);
      assert.equal(await join(40), "emails_exhausted", address);
      const own = (await fixture.emailsTo(emailOf(0))).length;
      const waiting = await fixture.signIn(asker(101), emailOf(0), PASSWORD);
      assert.equal(waiting.code, "emails_exhausted");
      assert.equal((await fixture.emailsTo(emailOf(0))).length, own);
    }
  });
}

test("a change to a taken address looks like one to a free address, except for the email to that address", async () => {
  const { fixture, addresses } = await openTown();
  for (const email of addresses) {
    const asker = await openMember(fixture);
    const response = await asker.browser.post("/dashboard/auth/change-email", { newEmail: email });
    assert.deepEqual([response.status, response.body], [200, { status: true }]);
    const link = await fixture.lastLink(asker.email, "confirm_address_change");
    const opened = await fixture.open(asker.browser, link);
    assert.deepEqual([opened.status, opened.body], [200, { status: true, emailTo: email }]);
  }
  const kinds = await Promise.all(
    addresses.map(async (email) => (await fixture.emailsTo(email)).map(({ kind }) => kind)),
  );
  assert.deepEqual(kinds, [
    ["address_in_use"],
    ["verify_new_address"],
    ["address_in_use"],
    ["verify_new_address"],
  ]);
});
