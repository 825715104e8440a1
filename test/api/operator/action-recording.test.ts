import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { NotCarriedOut } from "#ledger/port.ts";
import { ADA, ask, linesOf, openDeployment } from "./deployment-fixture.ts";

const now = () => Date.now();

describe("how an operator's action is recorded", () => {
  test("an action that cannot be recorded is not begun", async () => {
    const { deployment } = await openDeployment();
    const { actions, ledger } = deployment;
    const { start } = actions;
    for (const broken of [new Error("the database is away"), new NotCarriedOut("not taken")]) {
      actions.start = async () => {
        throw broken;
      };
      const { status, body } = await ask(deployment, "suspendAccount", {
        account: ADA,
        now: now(),
      });
      assert.deepEqual([status, body.code], [503, "unavailable"]);
      assert.match(body.detail, /could not be recorded\. Nothing was changed; try again/);
      assert.ok(!JSON.stringify(body).includes("database"), "nothing of the cause leaks");
    }
    assert.equal((await ledger.findAccount({ account: ADA, now: now() }))?.state, "open");
    actions.start = start;
    assert.equal((await linesOf(deployment)).length, 1);
  });

  test("an action whose outcome cannot be recorded is an error, and sending it again does it once", async () => {
    const { deployment, order } = await openDeployment();
    const { actions } = deployment;
    const { end } = actions;
    const grant = { account: ADA, id: "operator:x", kind: "operator", amount: 7, expiresAt: null };
    for (const broken of [new Error("the database is away"), new NotCarriedOut("not taken")]) {
      actions.end = async () => {
        throw broken;
      };
      const failed = await ask(deployment, "grant", { ...grant, now: now() });
      assert.deepEqual([failed.status, failed.body.code], [500, "internal"]);
      assert.ok(!JSON.stringify(failed.body).includes("database"), "nothing of the cause leaks");
    }
    assert.equal(deployment.loggedErrors.length, 2);
    actions.end = end;
    const again = await ask(deployment, "grant", { ...grant, now: now() });
    assert.equal(again.body.outcome.outcome, "already_granted");
    assert.equal((await ask(deployment, "openAccount", order)).status, 200);
    const { balance } = await deployment.ledger.credits({ account: ADA, now: now() });
    assert.equal(balance, 12);
    assert.deepEqual((await linesOf(deployment)).slice(1, 4), [
      `grant | ${ADA} | unchanged: operator:x was granted before | 192.0.2.7`,
      ...[1, 2].map(() => `grant | ${ADA} | started | 192.0.2.7`),
    ]);
  });

  test("an action in progress is listed as started", async () => {
    const { deployment } = await openDeployment();
    const { ledger } = deployment;
    const { suspendAccount } = ledger;
    const seen: string[] = [];
    ledger.suspendAccount = async (order) => {
      seen.push((await linesOf(deployment))[0] ?? "");
      return suspendAccount(order);
    };
    await ask(deployment, "suspendAccount", { account: ADA, now: now() });
    seen.push((await linesOf(deployment))[0] ?? "");
    assert.deepEqual(seen, [
      `suspendAccount | ${ADA} | started | 192.0.2.7`,
      `suspendAccount | ${ADA} | done | 192.0.2.7`,
    ]);
  });
});
