import assert from "node:assert/strict";
import { test } from "node:test";
import type { NoticesView } from "#api/dashboard/shapes.ts";
import { signUnsubscription } from "#events/unsubscribe.ts";
import { openMember, openScene, type Scene } from "./dashboard-fixture.ts";

const PATH = "/people/notices";
const BOTH = { low: true, expiring: true };

const tokenOf = (scene: Scene, account: string, sort: "low" | "expiring" = "low") =>
  signUnsubscription({ account, sort }, scene.desk.secrets);

/** As a mail program sends it (RFC 8058, section 3.2): no cookies, from nowhere. */
const postAlone = (scene: Scene, token: string) =>
  scene.browser().send("POST", `${PATH}/unsubscribe?token=${token}`, "List-Unsubscribe=One-Click", {
    origin: "",
    "sec-fetch-site": "",
    "content-type": "application/x-www-form-urlencoded",
  });

test("an owner sees and chooses below which balance they are told, and by which letters", async () => {
  const scene = openScene();
  const { browser, account } = await openMember(scene);
  assert.deepEqual((await browser.get(PATH)).body, { lowBalance: 20, letters: BOTH });
  const wanted: NoticesView = { lowBalance: 500, letters: { low: true, expiring: false } };
  const answer = await browser.put(PATH, wanted);
  assert.deepEqual([answer.status, answer.body], [200, wanted]);
  assert.deepEqual((await browser.get(PATH)).body, wanted);
  const standing = await scene.desk.ledger.findAccount({ account, now: Date.now() });
  assert.equal(standing?.lowBalance, 500);
});

test("who saves letters alone leaves the ledger as it is, with what is still to be told", async () => {
  const scene = openScene();
  const { browser } = await openMember(scene);
  const save = async (choice: NoticesView) => {
    scene.carriedOut.length = 0;
    assert.equal((await browser.put(PATH, choice)).status, 200);
    return scene.carriedOut.filter((name) => name === "setLowBalance").length;
  };
  const letters = { low: true, expiring: false };
  assert.equal(await save({ lowBalance: 20, letters }), 0);
  assert.deepEqual((await browser.get(PATH)).body, { lowBalance: 20, letters });
  assert.equal(await save({ lowBalance: 21, letters }), 1);
  assert.equal(await save({ lowBalance: 21, letters: BOTH }), 0);
});

test("a choice that is none is refused in words, and changes nothing", async () => {
  const { browser } = await openMember(openScene());
  for (const lowBalance of [-1, 0.5, "20", null, 1e13]) {
    const answer = await browser.put(PATH, { lowBalance, letters: BOTH });
    assert.equal(answer.code, "invalid_request");
    assert.match(answer.text, /whole number of credits from 0/);
  }
  for (const letters of [undefined, null, {}, { low: true }, { low: 1, expiring: true }]) {
    const answer = await browser.put(PATH, { lowBalance: 20, letters });
    assert.equal(answer.code, "invalid_request");
  }
  assert.deepEqual((await browser.get(PATH)).body, { lowBalance: 20, letters: BOTH });
});

test("nobody else sees or chooses", async () => {
  const scene = openScene();
  const stranger = scene.browser();
  assert.equal((await stranger.get(PATH)).code, "signed_out");
  const put = await stranger.put(PATH, { lowBalance: 1, letters: BOTH });
  assert.equal(put.code, "signed_out");
  const { browser } = await openMember(scene);
  const elsewhere = { origin: "https://evil.example" };
  const sent = await browser.send("PUT", PATH, { lowBalance: 1, letters: BOTH }, elsewhere);
  assert.equal(sent.code, "cross_site");
});

test("a mail program unsubscribes by one POST, of that sort of letters alone, and once more does no harm", async () => {
  const scene = openScene();
  const { browser, account } = await openMember(scene);
  for (let times = 0; times < 2; times += 1) {
    const answer = await postAlone(scene, tokenOf(scene, account));
    assert.deepEqual([answer.status, answer.body], [200, { letters: "low" }]);
  }
  const letters = { low: false, expiring: true };
  assert.deepEqual((await browser.get(PATH)).body, { lowBalance: 20, letters });
  await postAlone(scene, tokenOf(scene, account, "expiring"));
  const none = { low: false, expiring: false };
  assert.deepEqual((await browser.get(PATH)).body, { lowBalance: 20, letters: none });
});

test("many who unsubscribe from one network at once all do, and nobody's changes there wait for them", async () => {
  const scene = openScene();
  const { browser, account } = await openMember(scene);
  const token = tokenOf(scene, account);
  for (let times = 0; times < 40; times += 1)
    assert.equal((await postAlone(scene, token)).status, 200);
  assert.equal((await browser.put(PATH, { lowBalance: 30, letters: BOTH })).status, 200);
});

test("two links that are followed at the same moment end both sorts of letters", async () => {
  const scene = openScene();
  const { browser, account } = await openMember(scene);
  // Whoever reads first what is chosen, and writes it after that, loses what was written in between.
  for (const name of ["choice", "choose", "endLetters"]) scene.slow.add(name);
  const sorts = ["low", "expiring"] as const;
  await Promise.all(sorts.map((sort) => postAlone(scene, tokenOf(scene, account, sort))));
  const none = { low: false, expiring: false };
  assert.deepEqual((await browser.get(PATH)).body, { lowBalance: 20, letters: none });
});

test("a token that is not ours, or another account's, ends nobody's letters", async () => {
  const scene = openScene();
  const { browser, account } = await openMember(scene);
  const token = tokenOf(scene, account);
  const wrong = [
    ...["", "x", token.slice(0, -1), `${token}0`, token.replace(".low.", ".expiring.")],
    token.replace(/^acc_(.)/, (_, first) => (first === "Z" ? "acc_0" : "acc_Z")),
    signUnsubscription({ account, sort: "low" }, ["another secret"]),
  ];
  for (const each of wrong) {
    const answer = await postAlone(scene, encodeURIComponent(each));
    assert.deepEqual([answer.status, answer.code], [400, "invalid_request"], each);
  }
  assert.deepEqual((await browser.get(PATH)).body, { lowBalance: 20, letters: BOTH });
});

test("opening the address of the header ends nothing and leads to the page", async () => {
  const scene = openScene();
  const { browser, account } = await openMember(scene);
  const token = tokenOf(scene, account);
  const url = `${scene.publicUrl}${PATH}/unsubscribe?token=${token}`;
  const response = await scene.app.fetch(new Request(url), null);
  assert.equal(response.status, 303);
  assert.equal(response.headers.get("location"), `${scene.publicUrl}/unsubscribe?token=${token}`);
  assert.deepEqual((await browser.get(PATH)).body, { lowBalance: 20, letters: BOTH });
});

test("after the account was closed its token still answers, and leaves nothing behind", async () => {
  const scene = openScene();
  const { browser, account, email, password } = await openMember(scene);
  const token = tokenOf(scene, account);
  await browser.put(PATH, { lowBalance: 5, letters: { low: true, expiring: false } });
  assert.equal((await browser.post("/people/account/close", { email, password })).status, 200);
  assert.equal((await postAlone(scene, token)).status, 200);
  assert.deepEqual(await scene.rows("SELECT * FROM notice_choice"), []);
});
