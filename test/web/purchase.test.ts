import assert from "node:assert/strict";
import { test } from "node:test";
import { balanceText } from "../../web/credits/credit-text.ts";
import { pollDelayMs, purchaseMessage } from "../../web/credits/purchase-states.ts";
import { bodyText, deliveryState, responseText } from "../../web/webhooks/webhook-text.ts";
import { deliveries, purchaseIn } from "./sales-fixtures.ts";

test("a purchase is polled after two seconds, then at growing intervals for a few minutes", () => {
  assert.equal(pollDelayMs(1), 2_000);
  const delays: number[] = [];
  for (let polls = 1; ; polls += 1) {
    const delay = pollDelayMs(polls);
    if (delay === false) break;
    assert.ok(delay >= (delays.at(-1) ?? 0));
    delays.push(delay);
  }
  const minutes = delays.reduce((sum, delay) => sum + delay, 0) / 60_000;
  assert.ok(minutes > 3 && minutes < 6, `${minutes} minutes`);
});

test("a user who left the payment page is told that they have not paid, unless they have", () => {
  assert.equal(purchaseMessage(purchaseIn.open, true).title, "You have not paid.");
  assert.equal(purchaseMessage(purchaseIn.open, false).title, "Not paid yet.");
  assert.deepEqual(purchaseMessage(purchaseIn.paid, true), purchaseMessage(purchaseIn.paid, false));
});

test("the message about a refund has the amount, the removed credits and the spent credits", () => {
  assert.equal(
    purchaseMessage(purchaseIn.refunded, false).text,
    "€46.41 was refunded to you. 9,200 credits were removed from your balance. You had already spent 800 credits.",
  );
  const nothing = { ...purchaseIn.refunded, voided: 0, spent: 10_000 };
  assert.match(
    purchaseMessage(nothing, false).text,
    /No credits were removed from your balance\. You had already spent 10,000 credits\./,
  );
});

test("without credits the next call is free or rejected, as the account says", () => {
  const titleOf = (...given: Parameters<typeof balanceText>) => {
    const text = balanceText(...given);
    return typeof text === "string" ? text : text.title;
  };
  const none = { balance: 0, held: 0, lifetime: false };
  assert.equal(titleOf(none, { balance: 0, level: "enough" }), "Your next call is free");
  assert.equal(titleOf(none, { balance: 0, level: "gone" }), "Calls are rejected");
  // The page knew the account before its last credit was spent.
  assert.equal(titleOf(none, { balance: 1, level: "enough" }), "Calls are rejected");
  assert.equal(titleOf({ ...none, held: 2 }, undefined), "2 credits held by running calls");
  assert.match(titleOf({ ...none, balance: 3, lifetime: true }, undefined), /never expires/);
});

test("a purchase has a complete message in each state", () => {
  for (const purchase of Object.values(purchaseIn)) {
    const { title, text } = purchaseMessage(purchase, false);
    assert.match(title, /\.$/);
    assert.doesNotMatch(text, /undefined|null|NaN/);
    const one = purchaseMessage({ ...purchase, credits: 1, voided: 1, spent: 0 }, false).text;
    assert.doesNotMatch(one, /\b1 credits|1 credit (?:are|were)/);
  }
});

test("only while a dispute is open may its credits be added again", () => {
  const isHopeful = (state: "disputed" | "charged_back") =>
    /added again/.test(purchaseMessage(purchaseIn[state], false).text);
  assert.deepEqual([isHopeful("disputed"), isHopeful("charged_back")], [true, false]);
});

test("the message about a purchase in trouble names it, so that the operator can find it", () => {
  assert.ok(purchaseMessage(purchaseIn.trouble, false).text.includes(purchaseIn.trouble.id));
});

test("a delivery shows its state, its last response, and its body as formatted JSON", () => {
  const shown = deliveries.deliveries.map((each) => [
    deliveryState(each).title,
    responseText(each),
  ]);
  assert.deepEqual(shown, [
    ["Waiting", "Not sent yet"],
    ["Retrying", "Status 503"],
    ["Delivered", "Status 204"],
    ["Failed", "Unreachable"],
  ]);
  const [waiting] = deliveries.deliveries;
  assert.ok(waiting);
  // Too many others were waiting, so it failed at once.
  assert.equal(responseText({ ...waiting, status: "failed" }), "Not sent");
  assert.equal(bodyText('{"a":1}'), '{\n  "a": 1\n}');
  assert.equal(bodyText("no JSON"), "no JSON");
});
