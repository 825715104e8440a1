/** The contract of the records of operator acts, for every store. */
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import {
  ACT_TEXT_CHARS_MAX,
  ACTS_KEPT,
  type OperatorAct,
  type OperatorActs,
} from "#operator/actions.ts";
import { type SqlDatabase, sql } from "#stores/sql/sql-database.ts";

/** `recordAs` inserts an act with a row number. The next acts get the following numbers. */
type Opened = { acts: OperatorActs; recordAs(no: number, act: OperatorAct): Promise<unknown> };

const DONE = { outcome: "done", detail: "7 credits" } as const;
const START = Date.UTC(2026, 10, 21, 12);

/** Inserts an act with an explicit row number. */
export const insertAs =
  (db: SqlDatabase): Opened["recordAs"] =>
  (no, { at, by, act, outcome }) =>
    db.batch([
      sql`INSERT INTO operator_act (no, at, operator, act, outcome)
          VALUES (${no}, ${at}, ${by}, ${act}, ${outcome})`,
    ]);

export function operatorActsContract(
  name: string,
  open: (t: TestContext) => Promise<Opened>,
): void {
  describe(`operator acts, ${name}`, () => describeActs(open));
}

function describeActs(open: (t: TestContext) => Promise<Opened>) {
  const act = (at: number) => ({
    at,
    by: "ada",
    act: "grant",
    subject: "acc_a",
    address: "2001:db8::1",
  });

  test("lists acts newest first, page by page, while new acts are added", async (t) => {
    const { acts } = await open(t);
    for (let turn = 0; turn < 7; turn += 1) await acts.start(act(START + turn));
    const times: number[] = [];
    let after: string | null = null;
    do {
      const page: Awaited<ReturnType<OperatorActs["list"]>> = await acts.list({ after, max: 3 });
      times.push(...page.acts.map(({ at }) => at - START));
      await acts.start(act(START + 100));
      after = page.next;
    } while (after !== null);
    assert.deepEqual(times, [6, 5, 4, 3, 2, 1, 0]);
  });

  test("deletes the oldest acts beyond the limit", async (t) => {
    const { acts, recordAs } = await open(t);
    for (let turn = 1; turn <= 3; turn += 1) await acts.start(act(turn));
    // Row numbers count the acts, so this simulates almost as many.
    await recordAs(ACTS_KEPT, { ...act(4), ...DONE });
    for (const [recorded, kept] of [
      [5, [5, 4, 3, 2]],
      [6, [6, 5, 4, 3]],
    ] as const) {
      await acts.start(act(recorded));
      const listed = await acts.list({ after: null, max: 9 });
      assert.deepEqual(
        listed.acts.map(({ at }) => at),
        kept,
      );
    }
  });

  test("lists acts as recorded, with texts cut to the limit", async (t) => {
    const { acts } = await open(t);
    const bare = {
      at: START,
      by: "ada",
      act: "audit",
      subject: null,
      address: null,
    };
    await acts.start(bare);
    const long = "x".repeat(100_000);
    const { id } = await acts.start({ ...bare, act: long, subject: long });
    await acts.end({ id, end: { outcome: "refused", detail: long } });
    const listed = (await acts.list({ after: null, max: 9 })).acts;
    const cut = long.slice(0, ACT_TEXT_CHARS_MAX);
    assert.deepEqual(
      listed.map(({ id: _, ...rest }) => rest),
      [
        { ...bare, act: cut, subject: cut, outcome: "refused", detail: cut },
        { ...bare, outcome: "started", detail: null },
      ],
    );
  });

  test("an act is started until its end is recorded, and is removed if nothing changed", async (t) => {
    const { acts } = await open(t);
    const ids = [];
    for (let turn = 0; turn < 3; turn += 1) ids.push((await acts.start(act(START + turn))).id);
    const [first = "", second = ""] = ids;
    await acts.end({ id: second, end: null });
    await acts.end({ id: first, end: DONE });
    // Ending a removed act does nothing.
    await acts.end({ id: second, end: DONE });
    const listed = (await acts.list({ after: null, max: 9 })).acts;
    assert.deepEqual(
      listed.map(({ id, at, outcome, detail }) => [id, at - START, outcome, detail]),
      [
        [ids[2], 2, "started", null],
        [first, 0, "done", "7 credits"],
      ],
    );
  });
}
