import assert from "node:assert/strict";
import { test } from "node:test";
import { insufficientCredits, keyBudgetExhausted } from "#calls/call-errors.ts";
import { createEmails } from "#email/emails.ts";
import { type CreditSales, contactHref, topUp } from "#top-up.ts";

const SITE = "https://tools.example.com";
const BUY: CreditSales = { payable: true, contact: "sales@example.org" };
const CONTACT: CreditSales = { payable: false, contact: "sales@example.org" };
const ASK: CreditSales = { payable: false, contact: null };

test("where credits are sold a 402 leads to the Credits page, otherwise to the operator", () => {
  const said = (sales: CreditSales | null) => {
    const { message, details } = insufficientCredits(0, 0, { price: 1 }, topUp(sales, SITE));
    return [message.replace(/^.*? is 0\. /, ""), details.members?.topUpUrl];
  };
  assert.deepEqual([BUY, CONTACT, ASK, null].map(said), [
    [`Buy credits at ${SITE}/credits`, `${SITE}/credits`],
    [
      "To get more credits, contact the operator of this service: sales@example.org",
      "mailto:sales@example.org",
    ],
    ["To get more credits, ask the operator of this service.", undefined],
    [`To get more credits, see ${SITE}/credits`, `${SITE}/credits`],
  ]);
});

test("a contact is linked as what it is, in any spelling", () => {
  assert.equal(contactHref("sales@example.org"), "mailto:sales@example.org");
  for (const page of ["https://example.org/ask", "HTTPS://Example.org/ask"])
    assert.equal(contactHref(page), page);
});

test("an exhausted budget leads to the key, and to more credits if the account has too few as well", () => {
  const exhausted = { budget: "day", resetsAt: 0 } as const;
  const rich = keyBudgetExhausted(exhausted, 5, { price: 1 }, SITE, topUp(BUY, SITE));
  assert.match(rich.message, /the API key's daily budget has less left/);
  const known = keyBudgetExhausted(
    { ...exhausted, credits: 50, remaining: 3 },
    ...([5, { price: 4 }, SITE, topUp(BUY, SITE)] as const),
  );
  assert.match(
    known.message,
    /costs 4 credits, and the API key's daily budget of 50 credits has 3 left/,
  );
  assert.deepEqual(known.details.members?.budget, { credits: 50, remaining: 3 });
  assert.equal(known.details.members?.heldCredits, undefined);
  const held = keyBudgetExhausted(
    { ...exhausted, credits: 50, remaining: 3, heldCredits: 20 },
    ...([5, { price: 4 }, SITE, topUp(BUY, SITE)] as const),
  );
  assert.match(
    held.message,
    /has 3 left\. Running calls of the key hold 20 of it\. The budget resets/,
  );
  assert.equal(held.details.members?.heldCredits, 20);
  assert.match(rich.message, /see https:\/\/tools\.example\.com\/settings\/api-keys$/);
  assert.equal(rich.details.members?.topUpUrl, undefined);
  const poor = keyBudgetExhausted(exhausted, 0, { price: 1 }, SITE, topUp(BUY, SITE));
  assert.match(poor.message, /api-keys\. The account's balance is 0, too\. Buy credits at/);
  assert.equal(poor.details.members?.topUpUrl, `${SITE}/credits`);
});

test("emails about a low balance have a button to buy where credits are sold, otherwise the contact", () => {
  const unsubscribe = { page: `${SITE}/unsubscribe`, post: `${SITE}/unsubscribe` };
  const order = { to: "ada@example.org", at: 0, unsubscribe };
  const textsWith = (sales: CreditSales | null) => {
    const emails = createEmails({ publicUrl: SITE, name: "Toolbooth" }, sales);
    return [
      emails.creditsLow({ ...order, balance: 1, lowBalance: 9 }),
      emails.creditsUsedUp(order),
    ];
  };
  for (const [sales, expected] of [
    [BUY, /Buy credits/],
    [CONTACT, /contact the operator of this service: sales@example\.org/],
    [ASK, /ask the operator of this service/],
    [null, /Your credits page shows how to add more/],
  ] as const) {
    for (const { text, html } of textsWith(sales)) {
      assert.match(html, expected);
      assert.match(text, /https:\/\/tools\.example\.com\/credits/);
    }
  }
});
