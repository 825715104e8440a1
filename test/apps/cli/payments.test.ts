/** What the operator sees of sales: payments, revenue and the audit of both. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openPayments } from "../node/payments-fixture.ts";
import type { Json } from "./fixture.ts";

const DAY_MS = 86_400_000;
const today = () => new Date().toISOString().slice(0, 10);

test("reconcile settles payments whose events were missed, once, and reports them", async (t) => {
  const { fake, account, buy, run, json } = await openPayments(t);
  const ada = await account("ada@example.org");
  const [paid, open, yen] = [await buy(ada), await buy(ada), await buy(ada, "yen")];
  fake.pay(paid.session);
  fake.pay(yen.session);
  fake.refund(yen.session, 300);

  const first = await json("payments reconcile");
  assert.deepEqual([first.ok, first.looked, first.inOrder, first.inTrouble], [true, 3, 1, []]);
  assert.deepEqual(
    first.settledNow.map(({ purchase }: Json) => purchase).sort(),
    [paid.id, yen.id].sort(),
  );
  const again = await run("payments reconcile --since 2026-01-01");
  assert.match(
    again.text,
    /^Compared 3 purchases since 2026-01-01: 3 unchanged, 0 corrected, 0 for you/,
  );

  const { purchases } = await json("payments list ada@example.org");
  const byId = new Map<string, Json>(purchases.map((one: Json) => [one.id, one]));
  assert.deepEqual(
    [paid, open, yen].map(({ id }) => {
      const { status, price, paid, refunded, credits, voided } = byId.get(id);
      return [status, price, paid, refunded, credits, voided];
    }),
    [
      ["paid", "5.00", "5.00", "0.00", 100, 0],
      ["open", "5.00", "0.00", "0.00", 100, 0],
      ["paid", "900", "900", "300", 300, 100],
    ],
  );
  const { balance } = await json("credits show ada@example.org");
  assert.equal(balance, 300);
  const listed = await run(`payments list ${ada}`);
  assert.match(listed.text, / Yen +300 {2}900 JPY {3}paid +300 +100$/m);
  assert.equal((await json("audit")).ok, true);
});

test("reconcile exits with 1 and says what to do if the operator has to decide", async (t) => {
  const { fake, account, buy, json, failed } = await openPayments(t);
  const ada = await account("ada@example.org");
  const { id, session } = await buy(ada);
  await json("account close ada@example.org");
  fake.pay(session);
  const { inTrouble } = await failed("payments reconcile");
  assert.deepEqual([inTrouble.length, inTrouble[0].purchase], [1, id]);
  assert.match(inTrouble[0].todo, new RegExp(`Refund ${fake.paymentOf(session)}`));
  const { purchases } = await json(`payments list ${ada}`);
  assert.equal(purchases[0].trouble, "account_closed");
  fake.refund(session);
  assert.equal((await json("payments reconcile")).ok, true);
});

test("reconcile explains missing settings, a wrong Stripe key and an unreachable Stripe", async (t) => {
  const { fake, account, buy, run } = await openPayments(t);
  const ada = await account("ada@example.org");
  await buy(ada);
  const problem = (pattern: RegExp) => (error: unknown) =>
    error instanceof Error && pattern.test(error.message) && !/sk_test/.test(error.message);
  const without = { STRIPE_SECRET_KEY: "" };
  await assert.rejects(run(LINE, without), problem(/ set STRIPE_SECRET_KEY, /));
  const wrong = { STRIPE_SECRET_KEY: "sk_test_wrong_key" };
  await assert.rejects(run(LINE, wrong), problem(/Stripe does not accept STRIPE_SECRET_KEY/));
  fake.setAway("500");
  await assert.rejects(
    run(LINE),
    problem(/Stripe is unavailable.* Run the command again later\.$/),
  );
  fake.setAway("reset");
  await assert.rejects(
    run(LINE),
    problem(/Stripe is unreachable.*[^.]\. Corrections made so far are kept/),
  );
  await assert.rejects(run(`${LINE} --since yesterday`), /--since must be a date/);
});

const LINE = "payments reconcile";

test("reconcile restores a lost purchase with the service's current or older secrets, and with no other", async (t) => {
  const { fake, account, buy, within, run } = await openPayments(t);
  const ada = await account("ada@example.org");
  const { session } = await buy(ada);
  fake.pay(session);
  const ours = await within(async ({ driver, accountDeps }) => {
    driver.exec("DELETE FROM purchase");
    return accountDeps.secrets[0] as string;
  });
  const other = "anothersecretofmorethanthirtytwocharacters0";
  const foreign = await run(LINE, { SECRET: other });
  assert.match(foreign.text, /^Compared 0 purchases since/);
  const rotated = await run(LINE, { SECRET: `${other},${ours}` });
  assert.match(rotated.text, /^Compared 1 purchase since .* 1 corrected/);
});

test("audit finds a bought grant without a purchase, and reconcile restores the purchase", async (t) => {
  const { fake, account, buy, within, json, failed } = await openPayments(t);
  const ada = await account("ada@example.org");
  const { id, session } = await buy(ada);
  fake.pay(session);
  await json("payments reconcile");
  await within(async ({ driver }) => driver.exec("DELETE FROM purchase"));
  const [fault, ...others] = (await failed("audit")).faults;
  assert.match(fault, /^The grant stripe:pi_\w+ of acc_\w+ was bought, but no purchase names it: /);
  assert.deepEqual(others, []);
  await json(/-- (payments reconcile --since \d{4}-\d\d-\d\d)`$/.exec(fault)?.[1] ?? "");
  assert.deepEqual((await json("audit")).faults, []);
  const { purchases } = await json("payments list ada@example.org");
  assert.deepEqual(
    purchases.map((one: { id: string }) => one.id),
    [id],
  );
});

test("report shows revenue by day and currency, balances and ledger totals as text, JSON and CSV", async (t) => {
  const { fake, account, buy, run, json } = await openPayments(t);
  const ada = await account("ada@example.org");
  const eve = await account("=cmdeve@example.org");
  const bought = [await buy(ada), await buy(ada), await buy(eve, "yen")];
  for (const { session } of bought) fake.pay(session);
  fake.refund(bought[0]?.session ?? "", 125);
  await json("payments reconcile");
  const days = `--from ${new Date(Date.now() - DAY_MS).toISOString().slice(0, 10)} --to ${today()}`;

  const report = await json(`report ${days}`);
  assert.deepEqual(
    report.totals,
    {
      balance: 475,
      revenue: [
        { currency: "eur", purchases: 2, paid: "10.00", refunds: 1, refunded: "1.25" },
        { currency: "jpy", purchases: 1, paid: "900", refunds: 0, refunded: "0" },
      ],
    },
    JSON.stringify(report),
  );
  assert.equal(report.granted, 500);
  const { ok, granted, debited, reversed, remaining, expired, voided } = report.ledger;
  assert.deepEqual([ok, remaining, voided], [true, report.totals.balance, 25]);
  assert.equal(granted, debited - reversed + remaining + expired + voided);
  assert.deepEqual(
    report.accounts.map(({ id, balance, state }: Json) => [id, balance, state]).sort(),
    [
      [ada, 175, "open"],
      [eve, 300, "open"],
    ].sort(),
  );

  const { text } = await run(`report ${days}`);
  assert.match(text, /^total {7}EUR +2 {2}10\.00 +1 {2}1\.25$/m);
  assert.match(text, /reconciles: 500 granted = 0 debited - 0 reversed \+ 475 remaining/);

  const { text: table } = await run(`report ${days} --csv`);
  // As RFC 4180 requires.
  assert.match(table, /^day,kind,[a-z,]+\r\n(?:[^\n]+\r\n)+$/);
  const lines = table.split("\r\n");
  assert.equal(lines[0], "day,kind,item,account,email,count,credits,currency,amount");
  const has = (line: string) => assert.ok(lines.includes(line), `${line} in\n${table}`);
  has(`${today()},sale,,,,2,,eur,10.00`);
  has(`${today()},refund,,,,1,,eur,1.25`);
  has(`${today()},sale,,,,1,,jpy,900`);
  has(`${today()},balance,open,${ada},ada@example.org,,175,,`);
  has(`${today()},ledger,voided,,,,25,,`);
  // A spreadsheet would run this address as a formula.
  has(`${today()},balance,open,${eve},'=cmdeve@example.org,,300,,`);
  await assert.rejects(run(`report ${days} --csv --json`), /either --csv or --json/);
});
