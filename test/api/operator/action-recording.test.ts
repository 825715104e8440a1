import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { NotCarriedOut } from "#ledger/port.ts";
import { ADA, linesOf, openDeployment, orderId } from "./deployment-fixture.ts";

const now = () => Date.now();

describe("how an operator's action is recorded", () => {
  test("an action that cannot be recorded is not begun", async () => {
    const { deployment, ask, id } = await openDeployment();
    const { actions, ledger } = deployment;
    const { start } = actions;
    for (const broken of [new Error("the database is away"), new NotCarriedOut("not taken")]) {
      actions.start = async () => {
        throw broken;
      };
      const { status, body } = await ask("account suspend", { email: ADA });
      assert.deepEqual([status, body.code], [503, "unavailable"]);
      assert.match(body.detail, /could not be recorded\. Nothing was changed; try again/);
      assert.ok(!JSON.stringify(body).includes("database"), "nothing of the cause leaks");
    }
    assert.equal((await ledger.findAccount({ account: id, now: now() }))?.state, "open");
    actions.start = start;
    assert.equal((await linesOf(deployment)).length, 1);
  });

  test("an action whose outcome cannot be recorded is an error, and sending it again does it once", async () => {
    const { deployment, ask, id } = await openDeployment();
    const { actions } = deployment;
    const { end } = actions;
    const grant = { email: ADA, credits: 7, id: "x" };
    for (const broken of [new Error("the database is away"), new NotCarriedOut("not taken")]) {
      actions.end = async () => {
        throw broken;
      };
      const failed = await ask("credits grant", grant);
      assert.deepEqual([failed.status, failed.body.code], [500, "internal"]);
      assert.ok(!JSON.stringify(failed.body).includes("database"), "nothing of the cause leaks");
    }
    assert.equal(deployment.loggedErrors.length, 2);
    actions.end = end;
    const again = await ask("credits grant", grant);
    assert.deepEqual([again.body.result.granted, again.body.result.balance], [false, 12]);
    assert.deepEqual((await linesOf(deployment)).slice(0, 3), [
      `credits grant | ${id} | unchanged: operator:x was granted before | 192.0.2.7`,
      ...[1, 2].map(() => `credits grant | ${id} | started | 192.0.2.7`),
    ]);
  });

  test("an action in progress is listed as started", async () => {
    const { deployment, ask, id } = await openDeployment();
    const { ledger } = deployment;
    const { changeAccount } = ledger;
    const seen: string[] = [];
    ledger.changeAccount = async (order) => {
      seen.push((await linesOf(deployment))[0] ?? "");
      return changeAccount(order);
    };
    await ask("account suspend", { email: ADA }, orderId("1"));
    seen.push((await linesOf(deployment))[0] ?? "");
    assert.deepEqual(seen, [
      `account suspend | ${id} | started | 192.0.2.7`,
      `account suspend | ${id} | done | 192.0.2.7`,
    ]);
  });
});
