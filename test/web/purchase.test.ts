import assert from "node:assert/strict";
import { test } from "node:test";
import { eventOf } from "../../web/credits/purchase-states.ts";
import { pollDelayMs } from "../../web/credits/purchase-waits.ts";
import { bodyText, deliveryState, responseText } from "../../web/webhooks/webhook-text.ts";
import { deliveries, purchaseIn } from "./sales-fixtures.ts";

test("a purchase is looked at every two seconds at first, ever more rarely, and not for ever", () => {
  assert.equal(pollDelayMs(1), 2_000);
  const waits: number[] = [];
  for (let looks = 1; ; looks += 1) {
    const wait = pollDelayMs(looks);
    if (wait === false) break;
    assert.ok(wait >= (waits.at(-1) ?? 0));
    waits.push(wait);
  }
  const minutes = waits.reduce((sum, wait) => sum + wait, 0) / 60_000;
  assert.ok(minutes > 3 && minutes < 6, `${minutes} minutes`);
});

test("whoever comes back without paying is told so only while nobody has paid", () => {
  assert.equal(eventOf(purchaseIn.open, true).title, "You have not paid.");
  assert.equal(eventOf(purchaseIn.open, false).title, "Not paid yet.");
  assert.deepEqual(eventOf(purchaseIn.paid, true), eventOf(purchaseIn.paid, false));
});

test("a refund tells the money, what was taken back, and what had been spent", () => {
  assert.equal(
    eventOf(purchaseIn.refunded, false).text,
    "€46.41 went back to you. 9,200 credits were taken back; 800 credits had been spent before.",
  );
  const nothing = { ...purchaseIn.refunded, voided: 0, spent: 10_000 };
  assert.match(eventOf(nothing, false).text, /No credits were taken back; 10,000 credits had been/);
});

test("a purchase in trouble is named, so that the operator can find it", () => {
  assert.ok(eventOf(purchaseIn.trouble, false).text.includes(purchaseIn.trouble.id));
});

test("a delivery tells its state, its last answer, and its body in lines", () => {
  const told = deliveries.deliveries.map((each) => [deliveryState(each).title, responseText(each)]);
  assert.deepEqual(told, [
    ["Waiting", "Not tried yet"],
    ["Trying again", "Answered 503"],
    ["Delivered", "Answered 204"],
    ["Failed", "Not reached"],
  ]);
  assert.equal(bodyText('{"a":1}'), '{\n  "a": 1\n}');
  assert.equal(bodyText("no JSON"), "no JSON");
});
