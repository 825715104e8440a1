import assert from "node:assert/strict";
import { OrderRejected } from "#ledger/port.ts";
import { type createRule, type Fixture, START } from "./fixture.ts";

/** What a clawback of so many credits does to one grant. */
export const clawedBack = (voided: number, spent = 0) => ({
  outcome: "clawed_back",
  voided,
  spent,
});

/** One step: what happens, and what stands after it as `remaining voided spent`. */
type Row = [act: `spend ${number}` | `claw ${number}` | "reverse", stands: string];

/** Of a grant of 10 credits. Reversals take the calls from the first one on. */
const TABLE: Record<string, Row[]> = {
  "what is unspent is voided, what is spent stays spent": [
    ["spend 4", "6 0 4"],
    ["claw 10", "0 6 4"],
  ],
  "a part leaves the rest to be spent": [
    ["claw 3", "7 3 0"],
    ["spend 2", "5 3 2"],
    ["claw 8", "0 8 2"],
  ],
  "the figure is absolute: asking again takes nothing more": [
    ["claw 4", "6 4 0"],
    ["claw 4", "6 4 0"],
    ["claw 7", "3 7 0"],
  ],
  "a lower figure gives credits back to be spent": [
    ["claw 8", "2 8 0"],
    ["claw 3", "7 3 0"],
    ["claw 0", "10 0 0"],
    ["spend 10", "0 0 10"],
  ],
  "it rises and falls any number of times": [
    ["claw 10", "0 10 0"],
    ["claw 0", "10 0 0"],
    ["claw 10", "0 10 0"],
    ["claw 1", "9 1 0"],
    ["claw 9", "1 9 0"],
  ],
  "a lower figure gives back no more than was voided": [
    ["spend 6", "4 0 6"],
    ["claw 9", "0 4 6"],
    ["claw 5", "0 4 6"],
    ["claw 3", "1 3 6"],
  ],
  "of a grant that is spent nothing is voided": [
    ["spend 10", "0 0 10"],
    ["claw 10", "0 0 10"],
    ["claw 0", "0 0 10"],
  ],
  "what is spent after a part was clawed back leaves less to claw back": [
    ["spend 6", "4 0 6"],
    ["claw 3", "1 3 6"],
    ["claw 8", "0 4 6"],
  ],
  "a credit that comes back later is voided as far as the figure says": [
    ["spend 3", "7 0 3"],
    ["spend 3", "4 0 6"],
    ["spend 4", "0 0 10"],
    ["claw 5", "0 0 10"],
    ["reverse", "0 3 7"],
    ["reverse", "1 5 4"],
    ["reverse", "5 5 0"],
  ],
  "a figure that has fallen takes less of what comes back": [
    ["spend 10", "0 0 10"],
    ["claw 10", "0 0 10"],
    ["claw 2", "0 0 10"],
    ["reverse", "8 2 0"],
  ],
  "a figure that falls after credits came back gives them to be spent": [
    ["spend 10", "0 0 10"],
    ["claw 10", "0 0 10"],
    ["reverse", "0 10 0"],
    ["claw 4", "6 4 0"],
  ],
  "a clawback of 0 credits takes nothing and returns the state of the grant": [
    ["spend 1", "9 0 1"],
    ["claw 0", "9 0 1"],
  ],
};

export function describeClawbackAmounts(test: ReturnType<typeof createRule>) {
  for (const [sentence, rows] of Object.entries(TABLE))
    test(`clawback: ${sentence}`, async (fixture) => {
      const account = await fixture.account("Ada", { credits: 10 });
      const callIds: string[] = [];
      for (const [act, stands] of rows) {
        const [what, credits] = [act.split(" ")[0], Number(act.split(" ")[1] ?? 0)];
        const [remaining, voided, spent] = stands.split(" ").map(Number);
        if (what === "spend") callIds.push(await spendCredits(fixture, account, credits));
        else if (what === "reverse") await reverseCall(fixture, account, callIds.shift());
        else {
          const outcome = await fixture.clawback(account, "first", credits);
          assert.deepEqual(outcome, clawedBack(voided as number, spent), act);
        }
        assert.deepEqual(await fixture.remaining(account), { first: remaining }, act);
        const totals = await fixture.totals();
        assert.deepEqual([totals.voided, totals.debited - totals.reversed], [voided, spent], act);
      }
    });

  test("an order that only raises the number leaves a higher one as it is", async (fixture) => {
    const account = await fixture.account("Ada", { credits: 10 });
    const raise = (credits: number, version: number) =>
      fixture.ledger.clawback({
        ...{ account, grant: "first", credits, version, now: START },
        onlyRaises: true,
      });
    assert.deepEqual(await raise(4, 1), clawedBack(4));
    assert.deepEqual(await raise(3, 2), { ...clawedBack(4), outcome: "stale" });
    assert.deepEqual(await raise(4, 3), clawedBack(4), "a repeated order changes nothing");
    assert.deepEqual(await raise(6, 4), clawedBack(6));
    assert.deepEqual(await raise(7, 1), clawedBack(7), "a clock that was set back changes nothing");
    assert.equal(await fixture.balance(account), 3);
  });

  for (const [name, credits, version] of [
    ["-1 credits", -1, 1],
    ["1.5 credits", 1.5, 1],
    ["2^53 credits", 2 ** 53, 1],
    ["version -1", 1, -1],
    ["version 0.5", 1, 0.5],
  ] as const)
    test(`a clawback of ${name} is rejected and changes nothing`, async (fixture) => {
      const account = await fixture.account("Ada", { credits: 5 });
      await assert.rejects(fixture.clawback(account, "first", credits, version), OrderRejected);
      assert.equal(await fixture.balance(account), 5);
      assert.equal((await fixture.totals()).voided, 0);
    });
}

/** One call of so many credits; resolves with its id. */
export async function spendCredits(
  fixture: Fixture,
  account: string,
  credits: number,
): Promise<string> {
  const order = fixture.debitOrder(account, { credits });
  assert.equal((await fixture.ledger.debit(order)).outcome, "debited");
  return order.callId;
}

export async function reverseCall(
  fixture: Fixture,
  account: string,
  callId = "",
  now = START,
): Promise<void> {
  const ref = { account, callId, at: START, now };
  assert.deepEqual(await fixture.ledger.reverse(ref), { reversed: true });
}
