import assert from "node:assert/strict";
import { test } from "node:test";
import { openAccount } from "#accounts/accounts.ts";
import type { StartedView } from "#api/dashboard/shapes.ts";
import type { RequestedBounds } from "#email/bounds.ts";
import { HOUR_MS } from "#limits.ts";
import type { ApiResponse } from "./browser.ts";
import { clock } from "./clock.ts";
import { enter, type FixtureOptions, openMember, start } from "./dashboard-fixture.ts";
import { addPasskey, openSecureFixture, requirePasskey } from "./passkeys-fixture.ts";

/** All that an asker sees, without what differs by chance or by the time of the request. */
function shapeOf({ status, headers, body }: ApiResponse): unknown {
  const shown = [...headers]
    .filter(([name]) => !["x-request-id", "set-cookie"].includes(name))
    .sort();
  const cookies = headers.getSetCookie().map((text) => text.replace(/=[0-9A-Za-z]{24};/, "=;"));
  const text = JSON.stringify(body).replaceAll(/\b\d\d:\d\d UTC/g, "(a time)");
  const { requestId: _, ...rest } = JSON.parse(text) as { requestId?: string };
  return { status, shown, cookies, rest };
}

async function openTown(given: FixtureOptions = {}) {
  const fixture = openSecureFixture(given);
  const known = given.signUp === "closed" ? null : await openMember(fixture);
  const requiring = given.signUp === "closed" ? null : await openMember(fixture);
  if (requiring !== null) {
    await addPasskey(requiring.browser);
    await requirePasskey(requiring.browser);
  }
  await openAccount(fixture.accountDeps, "operated@example.com", Date.now());
  await fixture.settle();
  fixture.emails.length = 0;
  // Codes of the members' own sign-ups no longer count.
  clock.advance(HOUR_MS);
  const addresses = [
    ...[known?.email, requiring?.email].filter((email) => email !== undefined),
    ...["operated@example.com", "unknown@example.com"],
  ];
  return { fixture, addresses };
}

const TOWNS: [name: string, given: FixtureOptions, emails: string[][]][] = [
  ["open sign-up", {}, [["sign_in_code"], ["sign_in_code"], ["sign_up_code"], ["sign_up_code"]]],
  ["closed sign-up", { signUp: "closed" }, [["sign_up_code"], []]],
];

for (const [name, given, emails] of TOWNS) {
  test(`with ${name}, a sign-in begins the same for every address; only the emails differ`, async () => {
    const { fixture, addresses } = await openTown(given);
    const responses = await Promise.all(
      addresses.map((email) =>
        fixture.browser().send("POST", "/dashboard/auth/sign-in/start", { email }),
      ),
    );
    const [first, ...others] = responses.map(shapeOf);
    for (const other of others) assert.deepEqual(other, first);
    for (const [turn, email] of addresses.entries()) {
      const kinds = (await fixture.emailsTo(email)).map(({ kind }) => kind);
      assert.deepEqual(kinds, emails[turn], email);
    }
  });

  test(`with ${name}, wrong codes, too many of them and too many emails look the same for every address`, async () => {
    const { fixture, addresses } = await openTown(given);
    const seen: unknown[][] = [];
    for (const email of addresses) {
      const shapes: unknown[] = [];
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const guesser = fixture.browser();
        shapes.push(shapeOf(await start(guesser, email)));
        for (let tries = 0; tries < 6; tries += 1) shapes.push(shapeOf(await enter(guesser, "0")));
      }
      for (let more = 0; more < 2; more += 1)
        shapes.push(shapeOf(await start(fixture.browser(), email)));
      seen.push(shapes);
      clock.advance(HOUR_MS);
    }
    const [first, ...others] = seen;
    for (const other of others) assert.deepEqual(other, first);
    const codes = JSON.stringify(first);
    for (const code of ["wrong_code", "attempt_ended", "too_many_codes", "too_many_emails"])
      assert.ok(codes.includes(`"${code}"`), code);
  });
}

test("what happens before the response is the same for every address", async () => {
  const { fixture, addresses } = await openTown();
  const steps: string[][] = [];
  for (const email of addresses) {
    fixture.wasCarriedOut.length = 0;
    let inTime: string[] = [];
    const { inBackground } = fixture.deps;
    fixture.deps.inBackground = (work) => {
      inTime = [...fixture.wasCarriedOut];
      inBackground(work);
    };
    await start(fixture.browser(), email);
    fixture.deps.inBackground = inBackground;
    steps.push(inTime);
  }
  for (const each of steps) assert.deepEqual(each, []);
});

test("a sign-in counts the same for every address: what a network may still request reveals nothing", async () => {
  const requestedEmails: RequestedBounds = { perHour: 60, perDay: 0 };
  const { fixture, addresses } = await openTown({ requestedEmails });
  // A tenth of the emails of a UTC hour may be caused from one network: six.
  clock.advance(HOUR_MS - (clock.now() % HOUR_MS));
  for (const [turn, address] of addresses.entries()) {
    const asker = (each: number) => fixture.browser(`203.0.${turn}.${each}`);
    const ask = async (each: number, email = `asker${turn}-${each}@example.net`) =>
      (await start(asker(each), email)).code;
    for (let each = 0; each < 5; each += 1) assert.equal(await ask(each), undefined);
    assert.equal(await ask(100, address), undefined);
    assert.equal(await ask(40), "emails_exhausted", address);
    assert.equal(await ask(41, address), "emails_exhausted", address);
  }
});

test("while no new address gets an email, the response says so for every address, and those of accounts get theirs", async () => {
  const { fixture, addresses } = await openTown({ requestedEmails: { perHour: 3, perDay: 0 } });
  clock.advance(HOUR_MS - (clock.now() % HOUR_MS));
  for (let each = 0; each < 3; each += 1)
    await start(fixture.browser(`100.64.${each}.1`), `crowd${each}@example.net`);
  await fixture.settle();
  const views: unknown[] = [];
  for (const [turn, email] of addresses.entries())
    views.push((await start(fixture.browser(`100.65.${turn}.1`), email)).body);
  const endOfHour = clock.now() - (clock.now() % HOUR_MS) + HOUR_MS;
  const expected: StartedView = { sent: true, signUpsFrom: endOfHour, signInsFrom: null };
  for (const view of views) assert.deepEqual(view, expected);
  const got = await Promise.all(addresses.map(async (to) => (await fixture.emailsTo(to)).length));
  assert.deepEqual(got, [1, 1, 0, 0]);
});

test("a change to a taken address looks like one to a free address, except for the email to that address", async () => {
  const { fixture, addresses } = await openTown();
  for (const email of addresses) {
    const asker = await openMember(fixture);
    const response = await asker.browser.post("/dashboard/account/email", { email });
    assert.deepEqual([response.status, response.body], [200, { sent: true }]);
    const wrong = await asker.browser.post("/dashboard/account/email/code", { code: "0" });
    assert.equal(wrong.code, "wrong_code");
  }
  const kinds = await Promise.all(
    addresses.map(async (email) => (await fixture.emailsTo(email)).map(({ kind }) => kind)),
  );
  assert.deepEqual(kinds, [
    ["address_in_use"],
    ["address_in_use"],
    ["address_in_use"],
    ["new_address_code"],
  ]);
});
