import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { NotCarriedOut } from "#ledger/port.ts";
import { SCHEMAS } from "#operator/schemas/schemas.ts";
import { ADA, ask, linesOf, openDeployment } from "./deployment-fixture.ts";

const KEY = "key_Ada0000000000000000001";
const now = () => Date.now();

/** One order to a store is not carried out, after `before` of its kind that are. */
function refuseOnce<Store extends object>(store: Store, name: keyof Store, before = 0): void {
  const carryOut = store[name] as (order: unknown) => Promise<unknown>;
  let asked = 0;
  const refuse = async (order: unknown) => {
    asked += 1;
    if (asked === before + 1) throw new NotCarriedOut("The store has not taken it");
    return carryOut(order);
  };
  Object.assign(store, { [name]: refuse });
}

describe("what operators do", () => {
  test("each action is recorded and logged with its subject and outcome, and reads are not", async () => {
    const { ask, deployment } = await openDeployment();
    const at = now();
    const { body } = await ask("createKey", {
      account: ADA,
      id: KEY,
      label: "production",
      now: at,
    });
    assert.match(body.outcome.key, /^tb_[0-9A-Za-z]{56}$/);
    await ask("relabelKey", { account: ADA, id: KEY, label: "other" });
    const grant = { account: ADA, id: "operator:x", kind: "operator", amount: 7, expiresAt: null };
    await ask("grant", { ...grant, now: at });
    await ask("suspendAccount", { account: ADA, now: at });
    await ask("resumeAccount", { account: ADA, now: at });
    await ask("suspendAccount", { account: "acc_Bob000000000", now: at });
    await ask("revokeKey", { account: ADA, id: KEY, now: at });
    await ask("openAccount", {
      account: "acc_Bob000000000",
      email: "ada@b.c",
      credits: null,
      now: at,
    });
    for (const read of ["listKeys", "credits", "findAccount", "audit"] as const) {
      const order = read === "listKeys" ? { account: ADA } : { account: ADA, now: at };
      assert.equal((await ask(read, order)).status, 200);
    }
    await ask("closeAccount", { account: ADA, email: "ada@b.c", now: at });
    assert.deepEqual((await linesOf(deployment)).reverse(), [
      `openAccount | ${ADA} | done: 5 credits | 192.0.2.7`,
      `createKey | ${KEY} | done | 192.0.2.7`,
      `relabelKey | ${KEY} | done | 192.0.2.7`,
      `grant | ${ADA} | done: 7 credits as operator:x | 192.0.2.7`,
      `suspendAccount | ${ADA} | done | 192.0.2.7`,
      `resumeAccount | ${ADA} | done | 192.0.2.7`,
      "suspendAccount | acc_Bob000000000 | unchanged: not found | 192.0.2.7",
      `revokeKey | ${KEY} | done | 192.0.2.7`,
      "openAccount | acc_Bob000000000 | refused: (an address) already has an account. | 192.0.2.7",
      `closeAccount | ${ADA} | done: 12 credits forfeited | 192.0.2.7`,
    ]);
    assert.equal(deployment.told.length, 10);
    const rows = JSON.stringify(await deployment.actions.list({ after: null, max: 100 }));
    assert.ok(!rows.includes("ada@b.c") && !rows.includes(body.outcome.key.slice(0, 30)));
  });

  test("an action is completed and recorded after its client disconnects", async () => {
    const works: Promise<unknown>[] = [];
    const { deployment } = await openDeployment({ waitUntil: (work) => void works.push(work) });
    assert.equal(works.length, 1, "nobody waits for what only reads");
    void ask(deployment, "suspendAccount", { account: ADA, now: now() });
    while (works.length < 2) await new Promise((resolve) => setImmediate(resolve));
    await works[1];
    assert.match(
      (await linesOf(deployment))[0] ?? "",
      /^suspendAccount \| acc_Ada000000000 \| done/,
    );
  });

  test("an action that is sent again because its response was lost is done once", async () => {
    const { ask, order, deployment } = await openDeployment();
    assert.equal((await ask("openAccount", order)).status, 200);
    const grant = { account: ADA, id: "operator:x", kind: "operator", amount: 7, expiresAt: null };
    const made = [];
    for (let i = 0; i < 3; i += 1)
      made.push((await ask("grant", { ...grant, now: now() })).body.outcome.outcome);
    assert.deepEqual(made, ["granted", "already_granted", "already_granted"]);
    const key = { account: ADA, id: KEY, label: "l", now: now() };
    const two = await Promise.all([ask("createKey", key), ask("createKey", key)]);
    assert.deepEqual(two.map(({ status }) => status).sort(), [200, 409]);
    const again = await ask("createKey", key);
    assert.deepEqual([again.status, again.body.code], [409, "refused"]);
    assert.match(again.body.detail, new RegExp(`key revoke ${KEY}\``));
    assert.equal((await deployment.ledger.listKeys({ account: ADA })).length, 1);
    const close = { account: ADA, email: "ada@b.c", now: now() };
    for (let i = 0; i < 2; i += 1) {
      const { body } = await ask("closeAccount", close);
      assert.deepEqual(body.outcome, { account: ADA, forfeited: 12, notified: null });
    }
    const audit = (await ask("audit", { account: ADA, now: now() })).body.outcome;
    assert.deepEqual([audit.ok, audit.totals.granted], [true, 12]);
  });

  test("the owner of a changed account gets one email and one entry in the activity log for each change", async () => {
    const { ask, deployment } = await openDeployment();
    const at = new Date().toISOString();
    deployment.d1
      .prepare(`INSERT INTO users (id, name, email, "emailVerified", "createdAt", "updatedAt", account)
                VALUES ('p1', '', 'ada@b.c', 1, ?, ?, ?)`)
      .run(at, at, ADA);
    const { body } = await ask("createKey", { account: ADA, id: KEY, label: "l", now: now() });
    assert.deepEqual(body.outcome.notified, { email: "ada@b.c", error: null });
    const revoke = { account: ADA, id: KEY, now: now() };
    const outcomes = [await ask("revokeKey", revoke), await ask("revokeKey", revoke)];
    assert.deepEqual(
      outcomes.map((each) => each.body.outcome.notified),
      [{ email: "ada@b.c", error: null }, null],
    );
    const events = deployment.d1.prepare("SELECT kind, detail FROM user_event").all();
    assert.deepEqual(
      events.map(({ kind, detail }) => [kind, detail]),
      ["key_created", "key_revoked"].map((kind) => [kind, "l (by the operator)"]),
    );
    await ask("closeAccount", { account: ADA, email: "ada@b.c", now: now() });
    const emails = deployment.d1.prepare("SELECT kind, queue FROM job ORDER BY no").all();
    assert.deepEqual(
      emails.map(({ kind, queue }) => [kind, queue]),
      ["key_created", "key_revoked", "account_closed"].map((kind) => [kind, "email"]),
    );
  });

  test("an action that the ledger does not accept is 503 with Retry-After and is recorded as failed", async () => {
    const { ask, deployment } = await openDeployment();
    await ask("exportAccount", { account: ADA, place: null, snapshot: null, hold: true });
    const { status, headers, body } = await ask("suspendAccount", { account: ADA, now: now() });
    assert.deepEqual([status, body.code, headers.get("retry-after")], [503, "unavailable", "1"]);
    assert.match(body.detail, /is being exported\. Nothing was changed; try again/);
    assert.equal((await linesOf(deployment))[0], `suspendAccount | ${ADA} | failed | 192.0.2.7`);
  });

  test("the last page of an import can be sent again, as after a response that was lost", async () => {
    const { ask } = await openDeployment();
    const bob = { account: "acc_Bob000000000" };
    const record = { record: "account", id: bob.account, createdAt: 1 };
    const level = { lowBalance: 20, notifiedLevel: "gone" };
    const records = [{ ...record, ...level, state: "open", freeCall: "open" }];
    const page = { ...bob, createdAt: 1, begin: false, finish: true, now: now() };
    await ask("importAccount", { ...page, records: [], begin: true, finish: false });
    const responses = [
      await ask("importAccount", { ...page, records }),
      await ask("importAccount", { ...page, records }),
    ];
    assert.deepEqual(
      responses.map(({ body }) => body.outcome),
      [{ outcome: "opened" }, { outcome: "opened_before" }],
    );
  });

  test("every order about an account that is being moved is 409 and says how to finish the move", async () => {
    const { ask, deployment } = await openDeployment();
    const bob = { account: "acc_Bob000000000" };
    const part = { ...bob, createdAt: 1, records: [], begin: true, finish: false, now: now() };
    await ask("importAccount", part);
    await ask("importAccount", { ...part, begin: false });
    const lines = await linesOf(deployment);
    assert.equal(lines[0], "importAccount | acc_Bob000000000 | done: import begun | 192.0.2.7");
    assert.equal(lines.length, 2, "a part in the middle leaves no line");
    for (const [name, order] of [
      ["suspendAccount", { ...bob, now: now() }],
      ["findAccount", { ...bob, now: now() }],
      ["audit", { ...bob, now: now() }],
      ["exportAccount", { ...bob, place: null, snapshot: null, hold: false }],
      ["openAccount", { ...bob, email: "bob@b.c", credits: null, now: now() }],
    ] as const) {
      const { status, headers, body } = await ask(name, order);
      assert.deepEqual([status, body.code], [409, "being_moved"], name);
      assert.equal(headers.get("retry-after"), null);
      // Opening takes the address first, so it must not be said that nothing was changed.
      assert.equal(
        body.detail,
        "The account acc_Bob000000000 is being imported; finish the import to open it.",
      );
    }
    assert.equal(
      (await linesOf(deployment))[1],
      "suspendAccount | acc_Bob000000000 | failed | 192.0.2.7",
    );
    const ada = { record: "account", id: ADA, createdAt: 1, state: "open", freeCall: "used" };
    const wrong = [{ ...ada, lowBalance: 20, notifiedLevel: "gone" }];
    const refused = await ask("importAccount", { ...part, begin: false, records: wrong });
    assert.equal(refused.status, 409);
    assert.match((await linesOf(deployment))[0] ?? "", /^importAccount .* \| refused: Record 1/);
  });

  test("addresses are imported one by one: one that is taken is reported with the account that has it", async () => {
    const { ask, deployment } = await openDeployment();
    const of = (account: string, email: string) => ({
      ...{ record: "address", account, email, createdAt: 1 },
    });
    const records = [
      of("acc_Bob000000000", "ada@b.c"),
      of(ADA, "other@b.c"),
      of("acc_Cid000000000", "cid@b.c"),
      { record: "closedAddress", emailHash: "c".repeat(64), closedAt: 1 },
    ];
    const { body } = await ask("importAddresses", { records });
    assert.deepEqual(body.outcome, {
      taken: 2,
      refused: [
        { account: "acc_Bob000000000", by: ADA },
        { account: ADA, by: null },
      ],
    });
    assert.equal(
      (await linesOf(deployment))[0],
      "importAddresses |  | done: 2 taken, 2 refused | 192.0.2.7",
    );
    for (const wrong of [
      of("nonsense", "dee@b.c"),
      of("acc_Dee000000000", "NOT AN ADDRESS 1"),
      of("acc_Dee000000000", "Dee@b.c"),
      { record: "closedAddress", emailHash: "c".repeat(300), closedAt: 1 },
    ]) {
      const { status, body } = await ask("importAddresses", { records: [wrong] });
      assert.deepEqual([status, body.code], [400, "invalid_request"], JSON.stringify(wrong));
    }
    const found = await deployment.directory.listAddresses({ after: null, max: 9 });
    assert.deepEqual(
      found.map(({ email }) => email),
      ["ada@b.c", "cid@b.c"],
    );
  });

  test("an action that fails after its first step is reported as unknown", async () => {
    const { ask, order, deployment } = await openDeployment();
    const { ledger, directory } = deployment;
    const at = now();
    refuseOnce(ledger, "grant");
    const opened = await ask("openAccount", { ...order, now: at });
    refuseOnce(ledger, "listKeys", 1);
    const made = await ask("createKey", { account: ADA, id: KEY, label: "l", now: at });
    refuseOnce(directory, "forget");
    const closed = await ask("closeAccount", { account: ADA, email: "ada@b.c", now: at });
    assert.equal((await ledger.listKeys({ account: ADA })).length, 1);
    assert.equal((await ledger.findAccount({ account: ADA, now: at }))?.state, "closed");
    for (const { status, body } of [opened, made, closed]) {
      assert.deepEqual([status, body.code], [500, "internal"]);
      assert.match(
        body.detail,
        /^The service does not know whether it carried out the order\. You can safely send it again\./,
      );
    }
    assert.deepEqual((await linesOf(deployment)).slice(0, 3), [
      `closeAccount | ${ADA} | unknown | 192.0.2.7`,
      `createKey | ${KEY} | unknown | 192.0.2.7`,
      `openAccount | ${ADA} | unknown | 192.0.2.7`,
    ]);
  });

  test("a key's first characters say whether it was made under a secret of this service", async () => {
    const { ask } = await openDeployment();
    const { body } = await ask("createKey", { account: ADA, id: KEY, label: "l", now: now() });
    const start = body.outcome.key.slice(0, 25);
    const starts = [
      start,
      `${start.slice(0, 15)}AAAAAA${start.slice(21)}`,
      "",
      "tb_",
      "x".repeat(25),
    ];
    const known = (await ask("knowsKeys", { starts })).body.outcome;
    assert.deepEqual(known, { known: [true, false, false, false, false] });
  });

  test("every operation rejects unknown members of its order", () => {
    for (const [name, { input }] of Object.entries(SCHEMAS))
      assert.equal(input.safeParse({ more: 1 }).success, false, name);
  });
});
