import assert from "node:assert/strict";
import { test } from "node:test";
import { openAccount } from "#accounts/people.ts";
import type { Answer } from "./browser.ts";
import { openMember, openScene, PASSWORD } from "./dashboard-fixture.ts";

/** All that an asker sees, without what is random. */
function shapeOf({ status, headers, body }: Answer): unknown {
  const shown = [...headers]
    .filter(([name]) => !["x-request-id", "set-cookie"].includes(name))
    .sort();
  const cookies = headers.getSetCookie().map((text) => text.replace(/=[0-9A-Za-z]{24};/, "=;"));
  const { signUp, ...rest } = body as { signUp?: string };
  return { status, shown, cookies, rest, signUp: signUp?.length };
}

async function openTown() {
  const scene = openScene();
  const known = await openMember(scene);
  await scene.signUp(scene.browser(), "waiting@example.com", PASSWORD);
  await openAccount(scene.desk, "operated@example.com", Date.now());
  await scene.settle();
  scene.letters.length = 0;
  const addresses = [
    known.email,
    "waiting@example.com",
    "operated@example.com",
    "unknown@example.com",
  ];
  return { scene, known, addresses };
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
    "asking for the letter again",
    (email) => ["send-verification-email", { email }],
    [[], ["verify_address"], [], []],
  ],
  [
    "a sign-in with a wrong password",
    (email) => ["sign-in/email", { email, password: "not the password" }],
    [[], [], [], []],
  ],
];

for (const [name, ask, letters] of QUESTIONS) {
  test(`${name} answers the same for every address; only letters differ`, async () => {
    const { scene, addresses } = await openTown();
    const answers = await Promise.all(
      addresses.map((email) => {
        const [path, body] = ask(email);
        return scene.browser().send("POST", `/people/auth/${path}`, body);
      }),
    );
    const [first, ...others] = answers.map(shapeOf);
    for (const other of others) assert.deepEqual(other, first);
    for (const [turn, email] of addresses.entries()) {
      const kinds = (await scene.lettersTo(email)).map(({ kind }) => kind);
      assert.deepEqual(kinds, letters[turn], email);
    }
  });
}

test("a change to a taken address looks like one to a free address, up to the letter to that address", async () => {
  const { scene, addresses } = await openTown();
  for (const email of addresses) {
    const asker = await openMember(scene);
    const answer = await asker.browser.post("/people/auth/change-email", { newEmail: email });
    assert.deepEqual([answer.status, answer.body], [200, { status: true }]);
    const link = await scene.lastLink(asker.email, "confirm_address_change");
    const opened = await scene.open(asker.browser, link);
    assert.deepEqual([opened.status, opened.body], [200, { status: true, letterTo: email }]);
  }
  const kinds = await Promise.all(
    addresses.map(async (email) => (await scene.lettersTo(email)).map(({ kind }) => kind)),
  );
  assert.deepEqual(kinds, [
    ["address_in_use"],
    ["verify_new_address"],
    ["address_in_use"],
    ["verify_new_address"],
  ]);
});

test("a double submit makes one person and is no fault", async () => {
  const scene = openScene();
  const browser = scene.browser();
  const order = { email: "twice@example.com", password: PASSWORD };
  const answers = await Promise.all(
    [1, 2, 3].map(() => browser.send("POST", "/people/auth/sign-up/email", order)),
  );
  const [first, ...others] = answers.map(shapeOf);
  for (const other of others) assert.deepEqual(other, first);
  assert.equal((await scene.rows("SELECT * FROM person")).length, 1);
  await scene.open(browser, await scene.lastLink("twice@example.com", "verify_address"));
  assert.equal((await scene.signIn(browser, "twice@example.com", PASSWORD)).status, 200);
});
