/** The contract of the records of operator actions, for every store. */
import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import {
  ACTION_TEXT_CHARS_MAX,
  ACTIONS_KEPT,
  type OperatorAction,
  type OperatorActions,
} from "#operator/actions.ts";
import { type SqlDatabase, sql } from "#stores/sql/sql-database.ts";

/** `recordAs` inserts an action with a row number. The next actions get the following numbers. */
type Opened = {
  actions: OperatorActions;
  recordAs(no: number, action: OperatorAction): Promise<unknown>;
};

const DONE = { outcome: "done", detail: "7 credits" } as const;
const START = Date.UTC(2026, 10, 21, 12);

/** Inserts an action with an explicit row number. */
export const insertAs =
  (db: SqlDatabase): Opened["recordAs"] =>
  (no, { at, by, action, outcome }) =>
    db.batch([
      sql`INSERT INTO operator_action (no, at, operator, action, outcome)
          VALUES (${no}, ${at}, ${by}, ${action}, ${outcome})`,
    ]);

export function operatorActionsContract(
  name: string,
  open: (t: TestContext) => Promise<Opened>,
): void {
  describe(`operator actions, ${name}`, () => describeActions(open));
}

function describeActions(open: (t: TestContext) => Promise<Opened>) {
  const action = (at: number) => ({
    at,
    by: "ada",
    action: "grant",
    subject: "acc_a",
    address: "2001:db8::1",
  });

  test("lists actions newest first, page by page, while new actions are added", async (t) => {
    const { actions } = await open(t);
    for (let turn = 0; turn < 7; turn += 1) await actions.start(action(START + turn));
    const times: number[] = [];
    let after: string | null = null;
    do {
      const page: Awaited<ReturnType<OperatorActions["list"]>> = await actions.list({
        after,
        max: 3,
      });
      times.push(...page.actions.map(({ at }) => at - START));
      await actions.start(action(START + 100));
      after = page.next;
    } while (after !== null);
    assert.deepEqual(times, [6, 5, 4, 3, 2, 1, 0]);
  });

  test("deletes the oldest actions beyond the limit", async (t) => {
    const { actions, recordAs } = await open(t);
    for (let turn = 1; turn <= 3; turn += 1) await actions.start(action(turn));
    // Row numbers count the actions, so this simulates almost as many.
    await recordAs(ACTIONS_KEPT, { ...action(4), ...DONE });
    for (const [recorded, kept] of [
      [5, [5, 4, 3, 2]],
      [6, [6, 5, 4, 3]],
    ] as const) {
      await actions.start(action(recorded));
      const listed = await actions.list({ after: null, max: 9 });
      assert.deepEqual(
        listed.actions.map(({ at }) => at),
        kept,
      );
    }
  });

  test("lists actions as recorded, with texts cut to the limit", async (t) => {
    const { actions } = await open(t);
    const bare = {
      at: START,
      by: "ada",
      action: "audit",
      subject: null,
      address: null,
    };
    await actions.start(bare);
    const long = "x".repeat(100_000);
    const { id } = await actions.start({ ...bare, action: long, subject: long });
    await actions.end({ id, end: { outcome: "refused", detail: long } });
    const listed = (await actions.list({ after: null, max: 9 })).actions;
    const cut = long.slice(0, ACTION_TEXT_CHARS_MAX);
    assert.deepEqual(
      listed.map(({ id: _, ...rest }) => rest),
      [
        { ...bare, action: cut, subject: cut, outcome: "refused", detail: cut },
        { ...bare, outcome: "started", detail: null },
      ],
    );
  });

  test("an action is started until its end is recorded, and is removed if nothing changed", async (t) => {
    const { actions } = await open(t);
    const ids = [];
    for (let turn = 0; turn < 3; turn += 1)
      ids.push((await actions.start(action(START + turn))).id);
    const [first = "", second = ""] = ids;
    await actions.end({ id: second, end: null });
    await actions.end({ id: first, end: DONE });
    // Ending a removed action does nothing.
    await actions.end({ id: second, end: DONE });
    const listed = (await actions.list({ after: null, max: 9 })).actions;
    assert.deepEqual(
      listed.map(({ id, at, outcome, detail }) => [id, at - START, outcome, detail]),
      [
        [ids[2], 2, "started", null],
        [first, 0, "done", "7 credits"],
      ],
    );
  });
}
