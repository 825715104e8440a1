import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { NotCarriedOut } from "#ledger/port.ts";
import type { Json } from "../../apps/cli/fixture.ts";
import { ADA, linesOf, openDeployment, orderId } from "./deployment-fixture.ts";

const BOB = "acc_Bob000000000";

/** One order to a store is not carried out. */
function refuseOnce<Store extends object>(store: Store, name: keyof Store): void {
  const carryOut = store[name] as (order: unknown) => Promise<unknown>;
  let isRefused = false;
  const refuse = async (order: unknown) => {
    if (isRefused) return carryOut(order);
    isRefused = true;
    throw new NotCarriedOut("The store has not taken it");
  };
  Object.assign(store, { [name]: refuse });
}

const accountRecord = (id: string) => ({
  ...{ record: "account", id, createdAt: 1, state: "open", freeCall: "open" },
  ...{ lowBalance: 20, notifiedLevel: "gone", prices: null },
});
const page = (id: string, begin: boolean, finish: boolean, records: object[]) => ({
  account: { id, createdAt: 1, begin, finish },
  records,
});

describe("what operators do", () => {
  test("an action is logged without address and key, and one that reads or finds no account is not", async () => {
    const { ask, deployment } = await openDeployment();
    const made = (await ask("key create", { email: ADA, label: "production" })).body.result.key;
    assert.equal((await ask("account suspend", { email: BOB })).body.code, "refused");
    await ask("account show", { email: ADA });
    assert.deepEqual(
      deployment.told.map(({ action }) => action),
      ["account create", "key create"],
    );
    const rows = JSON.stringify([
      await deployment.actions.list({ after: null, max: 9 }),
      deployment.told,
    ]);
    assert.ok(!rows.includes(ADA) && !rows.includes(made.slice(0, 30)));
  });

  test("an action is completed and recorded after its client disconnects", async () => {
    const works: Promise<unknown>[] = [];
    const { deployment, ask } = await openDeployment({
      waitUntil: (work) => void works.push(work),
    });
    assert.equal(works.length, 1, "nobody waits for what only reads");
    void ask("account suspend", { email: ADA });
    while (works.length < 2) await new Promise((resolve) => setImmediate(resolve));
    await works[1];
    assert.match((await linesOf(deployment))[0] ?? "", /^account suspend \| acc_\w+ \| done/);
  });

  test("an order that is sent again because its response was lost is done once, with the same response", async () => {
    const { ask, deployment, id } = await openDeployment();
    const thrice = async (name: string, input: object) => {
      const responses: Json[] = [];
      for (let i = 0; i < 3; i += 1) {
        responses.push((await ask(name, input, orderId(name.replace(" ", "-")))).body);
        if (i === 1) deployment.app = deployment.restarted();
      }
      for (const body of responses) assert.deepEqual(body.result, responses[0].result, name);
      return responses[0].result;
    };
    const bob = await thrice("account create", { email: "bob@example.org", credits: 3 });
    assert.equal(bob.balance, 3);
    assert.equal((await thrice("credits grant", { email: ADA, credits: 7 })).balance, 12);
    const made = await thrice("key create", { email: ADA, label: "l" });
    const rotated = await thrice("key rotate", { id: made.id, keep: "2h" });
    assert.notEqual(rotated.key, made.key);
    const keys = await deployment.ledger.listKeys({ account: id });
    assert.equal(keys.length, 1);
    const { hashKey } = deployment.context.accountDeps;
    assert.equal(keys[0]?.sha256, await hashKey(rotated.key));
    assert.equal(keys[0]?.previous?.sha256, await hashKey(made.key));
    // Another order makes another key.
    const other = (await ask("key create", { email: ADA, label: "l" })).body.result;
    assert.notEqual(other.key, made.key);
    const audit = (await ask("audit", {})).body.result;
    assert.deepEqual([audit.ok, audit.totals.granted], [true, 15]);
  });

  test("an order that closes an account or changes its address can be sent again if it names the account by its id", async () => {
    const { ask, deployment, id } = await openDeployment();
    const to = "ada@new.example";
    const twice = async (name: string, input: object) => {
      const first = await ask(name, { email: id, ...input }, orderId(name.replace(" ", "-")));
      deployment.app = deployment.restarted();
      const again = await ask(name, { email: id, ...input }, orderId(name.replace(" ", "-")));
      return [first.body.result, again.body.result];
    };
    const moved = { id, email: to };
    assert.deepEqual(await twice("account set-email", { to }), [
      { ...moved, from: ADA },
      { ...moved, from: to },
    ]);
    const closed = { id, state: "closed", forfeited: 5 };
    assert.deepEqual(await twice("account close", {}), [
      { ...closed, email: to },
      { ...closed, email: id },
    ]);
    assert.equal((await ask("account close", { email: to })).body.code, "refused");
    assert.equal((await ask("account set-email", { email: id, to })).body.code, "refused");
  });

  test("of two orders at once that create an account, one grants its credits", async () => {
    const { ask, deployment } = await openDeployment();
    const bob = { email: "bob@example.org", credits: 3 };
    const { ledger } = deployment;
    const { openAccount } = ledger;
    ledger.openAccount = async (order) => {
      ledger.openAccount = openAccount;
      // The address is registered, and the account is not opened yet.
      assert.equal((await ask("account create", bob)).body.result.balance, 3);
      return openAccount(order);
    };
    const { id, balance } = (await ask("account create", bob)).body.result;
    assert.equal(balance, 3);
    const lines = (await linesOf(deployment)).slice(0, 2);
    assert.deepEqual(
      lines,
      lines.map(() => `account create | ${id} | done: 3 credits | 192.0.2.7`),
    );
  });

  test("limits of a key that do not change stay, even if the service no longer offers them", async () => {
    const { ask, deployment, id: account } = await openDeployment();
    const { id } = (await ask("key create", { email: ADA, label: "l" })).body.result;
    const budgets = { total: null, month: null, day: null };
    const limits = { expiresAt: null, tools: ["gone"], networks: null, rate: 90_000, budgets };
    await deployment.ledger.changeKey({ account, id, limits, now: Date.now() });
    const changed = (await ask("key limit", { id, budgetDay: 5 })).body.result;
    assert.deepEqual([changed.limits.tools, changed.limits.rate], [["gone"], 90_000]);
    assert.equal(changed.limits.budgets.day.credits, 5);
    const { body } = await ask("key limit", { id, tools: ["lost"] });
    assert.match(body.detail, /^There is no tool "lost"\. The tools are (?!.*gone)/);
  });

  test("credits expire before the year 10000, which no result could say", async () => {
    const { ask } = await openDeployment();
    const grant = (expires: string) => ask("credits grant", { email: ADA, credits: 1, expires });
    for (const late of ["9999-12-31", "9999-12-31T23:59:59-12:00"]) {
      const { status, body } = await grant(late);
      assert.deepEqual([status, body.code], [400, "invalid_request"], late);
      assert.match(body.detail, /`expires` must be earlier than 9999-12-31\./);
    }
    const last = "9999-12-31T00:00:00.000Z";
    assert.equal((await grant("9999-12-30")).body.result.expiresAt, last);
    const { grants } = (await ask("credits show", { email: ADA })).body.result;
    assert.deepEqual(
      grants.map(({ expiresAt }: { expiresAt: string | null }) => expiresAt),
      [last, null],
    );
  });

  test("the owner of a changed account gets one email and one entry in the activity log for each change", async () => {
    const { ask, deployment, id } = await openDeployment();
    const at = new Date().toISOString();
    deployment.d1
      .prepare(`INSERT INTO users (id, name, email, "emailVerified", "createdAt", "updatedAt", account)
                VALUES ('p1', '', ?, 1, ?, ?, ?)`)
      .run(ADA, at, at, id);
    const { body } = await ask("key create", { email: ADA, label: "l" });
    const queued = [`Queued an email to ${ADA}.`];
    assert.deepEqual(body.messages, queued);
    const limit = { id: body.result.id, budgetDay: 9 };
    const limited = [await ask("key limit", limit), await ask("key limit", limit)];
    assert.deepEqual(
      limited.map((each) => each.body.messages),
      [queued, []],
    );
    const revoke = { id: body.result.id };
    const revoked = [await ask("key revoke", revoke), await ask("key revoke", revoke)];
    assert.deepEqual(
      revoked.map((each) => each.body.messages),
      [queued, []],
    );
    const events = deployment.d1.prepare("SELECT kind, detail FROM user_event").all();
    assert.deepEqual(
      events.map(({ kind, detail }) => [kind, detail]),
      ["key_created", "key_limited", "key_revoked"].map((kind) => [kind, "l (by the operator)"]),
    );
    const emails = () =>
      deployment.d1
        .prepare("SELECT kind, queue FROM job ORDER BY no")
        .all()
        .map(({ kind, queue }) => [kind, queue]);
    assert.deepEqual(
      emails(),
      ["key_created", "key_limited", "key_revoked"].map((kind) => [kind, "email"]),
    );
    await ask("account close", { email: ADA });
    assert.deepEqual(emails(), [["account_closed", "email"]], "the address has no others");
  });

  test("an action that the ledger does not accept is 503 with Retry-After and is recorded as failed", async () => {
    const { ask, deployment, id } = await openDeployment();
    refuseOnce(deployment.ledger, "changeAccount");
    const { status, headers, body } = await ask("account suspend", { email: ADA });
    assert.deepEqual([status, body.code, headers.get("retry-after")], [503, "unavailable", "1"]);
    assert.match(body.detail, /has not taken it\. Nothing was changed; try again/);
    assert.equal((await linesOf(deployment))[0], `account suspend | ${id} | failed | 192.0.2.7`);
  });

  test("credits with an expiry are granted once to an account on the lifetime plan, where they do not expire", async () => {
    const { ask, deployment, id: account } = await openDeployment();
    const { ledger } = deployment;
    const plan = { id: "plan", kind: "lifetime", amount: 50, expiresAt: null } as const;
    await ledger.grant({ account, ...plan, now: Date.now() });
    const order = { email: ADA, credits: 7, expires: "2099-12-31", id: "invoice-7" };
    const answers = [await ask("credits grant", order), await ask("credits grant", order)];
    const result = { email: ADA, id: "operator:invoice-7", amount: 7, expiresAt: null };
    assert.deepEqual(
      answers.map(({ body }) => body.result),
      [true, false].map((granted) => ({ ...result, granted, balance: 62 })),
    );
    const other = await ask("credits grant", { ...order, expires: "2099-12-30" });
    assert.match(other.body.detail, /already exists, with 7 credits and expiry at 2100-01-01T/);
    // When the plan ends, the expiry counts.
    const end = { account, grant: "plan", credits: 50, version: Date.now(), now: Date.now() };
    await ledger.clawback(end);
    const ended = (await ask("credits grant", order)).body.result;
    assert.deepEqual([ended.granted, ended.expiresAt], [false, "2100-01-01T00:00:00.000Z"]);
  });

  test("an action that fails after its first step is reported as unknown, and completed when it is sent again", async () => {
    const { ask, deployment } = await openDeployment();
    const { ledger, directory } = deployment;
    const bob = { email: "bob@example.org", credits: 3 };
    refuseOnce(ledger, "grant");
    const opened = await ask("account create", bob, orderId("open"));
    refuseOnce(directory, "forget");
    const closed = await ask("account close", { email: ADA });
    for (const { status, body } of [opened, closed]) {
      assert.deepEqual([status, body.code], [500, "internal"]);
      assert.match(
        body.detail,
        /^The service does not know whether it carried out the request\. You can safely send it again with the same Idempotency-Key\./,
      );
    }
    for (const name of ["account create", "account resume"])
      assert.match(
        (await ask(name, { email: ADA })).body.detail,
        /^The account of ada@example\.org was closed, .+ run `npm run -s toolbooth -- account close /,
      );
    const outcomes = (await linesOf(deployment)).slice(1, 3).map((line) => line.split(" | ")[2]);
    assert.deepEqual(outcomes, ["unknown", "unknown"]);
    const again = await ask("account create", bob, orderId("open"));
    assert.equal(again.body.result.balance, 3);
    assert.equal((await ask("account close", { email: ADA })).body.result.state, "closed");
  });

  test("a fault after a change is not reported as if nothing was changed", async () => {
    const { ask, deployment, id: account } = await openDeployment();
    const { ledger } = deployment;
    const { id } = (await ask("key create", { email: ADA, label: "l" })).body.result;
    /** The change is made, and then the store is away once. */
    const refuseAfter = <Name extends "changeKey" | "grant" | "clawback">(
      name: Name,
      read: "listKeys" | "credits",
    ) => {
      const change = ledger[name] as (order: object) => Promise<never>;
      const changed = async (order: object) => {
        refuseOnce(ledger, read);
        return change(order);
      };
      Object.assign(ledger, { [name]: changed });
    };
    refuseAfter("changeKey", "listKeys");
    const limited = await ask("key limit", { id, rate: 5 });
    refuseAfter("grant", "credits");
    const granted = await ask("credits grant", { email: ADA, credits: 7 }, orderId("grant"));
    refuseAfter("clawback", "credits");
    const order = { grant: `operator:${account}`, credits: 2, account: ADA };
    const clawed = await ask("credits clawback", order);
    for (const { status, body } of [limited, granted, clawed])
      assert.deepEqual([status, body.code], [500, "internal"]);
    const lines = (await linesOf(deployment)).slice(0, 3);
    assert.deepEqual(new Set(lines.map((line) => line.split(" | ")[2])), new Set(["unknown"]));
    const { balance } = (await ask("credits show", { email: account })).body.result;
    assert.equal(balance, 10, "it was granted");
  });

  test("an address that an account has left brings no second free call, also if the order had to be sent again", async () => {
    const { ask, deployment, id } = await openDeployment();
    const move = () =>
      ask("account set-email", { email: id, to: "ada@new.example" }, orderId("move"));
    refuseOnce(deployment.directory, "recordClosed");
    const { status, body } = await move();
    assert.deepEqual([status, body.code], [503, "unavailable"]);
    assert.match(body.detail, /Nothing was changed/);
    assert.equal((await move()).body.result.from, ADA);
    const again = (await ask("account create", { email: ADA })).body;
    assert.match(again.messages.join(), /The new account has no free call/);
  });

  test("the log has every action without the network address of its client", async () => {
    const logged: object[] = [];
    const { id } = await openDeployment({ logAction: (_, action) => void logged.push(action) });
    const [{ at: _, requestId: __, ...action } = {} as Json] = logged as Json[];
    assert.deepEqual(action, {
      ...{ by: "operator", action: "account create", subject: id },
      ...{ outcome: "done", detail: "5 credits" },
    });
  });

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
    assert.equal((await ledger.findAccount({ account: id, now: Date.now() }))?.state, "open");
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

  test("the last page of an import can be sent again, as after a response that was lost", async () => {
    const { ask } = await openDeployment();
    await ask("import", page(BOB, true, false, [accountRecord(BOB)]));
    const last = page(BOB, false, true, [
      { record: "closedAddress", emailHash: "c".repeat(64), closedAt: 1 },
    ]);
    assert.equal((await ask("import", last)).status, 409, "the record is not of the account");
    const finish = page(BOB, false, true, [accountRecord(BOB)]);
    const responses = [await ask("import", finish), await ask("import", finish)];
    assert.deepEqual(
      responses.map(({ body }) => body.result.outcome),
      ["opened", "opened_before"],
    );
  });

  test("no operation sees an account before its import is finished", async () => {
    const { ask, deployment } = await openDeployment();
    await ask("import", page(BOB, true, false, [accountRecord(BOB)]));
    await ask("import", page(BOB, false, false, [accountRecord(BOB)]));
    const lines = await linesOf(deployment);
    assert.equal(lines[0], `import | ${BOB} | done: import begun | 192.0.2.7`);
    assert.equal(lines.length, 2, "a page in the middle leaves no line");
    await deployment.directory.register({ email: "bob@example.org", account: BOB, createdAt: 1 });
    for (const name of ["account suspend", "account show"])
      assert.equal((await ask(name, { email: "bob@example.org" })).status, 409, name);
    const { accounts } = (await ask("account list", {})).body.result;
    assert.deepEqual(
      accounts.map(({ state }: Json) => state),
      ["open"],
    );
    const { faults, accounts: audited } = (await ask("audit", {})).body.result;
    assert.deepEqual([faults, audited], [[], 1]);
  });

  test("addresses are imported one by one: one that is taken is reported with the account that has it", async () => {
    const { ask, deployment, id } = await openDeployment();
    const of = (account: string, email: string) => ({
      ...{ record: "address", account, email, createdAt: 1 },
    });
    const records = [
      of(BOB, ADA),
      of(id, "other@example.org"),
      of("acc_Cid000000000", "cid@example.org"),
      { record: "closedAddress", emailHash: "c".repeat(64), closedAt: 1 },
    ];
    const { body } = await ask("import", { account: null, records });
    assert.deepEqual(body.result.refused, [
      { account: BOB, by: id },
      { account: id, by: null },
    ]);
    for (const wrong of [
      of("nonsense", "dee@example.org"),
      of("acc_Dee000000000", "NOT AN ADDRESS 1"),
      of("acc_Dee000000000", "Dee@example.org"),
      { record: "closedAddress", emailHash: "c".repeat(300), closedAt: 1 },
    ]) {
      const refused = await ask("import", { account: null, records: [wrong] });
      assert.deepEqual([refused.status, refused.body.code], [400, "invalid_request"]);
    }
    const found = await deployment.directory.listAddresses({ after: null, max: 9 });
    assert.deepEqual(
      found.map(({ email }) => email),
      [ADA, "cid@example.org"],
    );
  });

  test("an account without an address, which another one has, is reached by its id", async () => {
    const { ask, deployment } = await openDeployment();
    await ask("import", page(BOB, true, true, [accountRecord(BOB)]));
    const bob = { email: BOB };
    assert.equal((await ask("credits grant", { ...bob, credits: 3 })).body.result.balance, 3);
    assert.equal((await ask("account suspend", bob)).body.result.state, "suspended");
    assert.match(
      (await ask("account set-email", { ...bob, to: "bob@example.org" })).body.detail,
      /^The account acc_Bob000000000 has no address\. Nothing was changed\.$/,
    );
    assert.deepEqual((await ask("account close", bob)).body.result, {
      ...{ id: BOB, email: BOB, state: "closed", forfeited: 3 },
    });
    assert.equal(deployment.d1.prepare("SELECT * FROM closed_address").all().length, 0);
    assert.match((await ask("account show", bob)).body.detail, /^There is no open account acc_Bob/);
  });

  test("an account that was closed after its import gets no address when the import is run again", async () => {
    const { ask, deployment } = await openDeployment();
    const email = "bob@example.org";
    const address = { record: "address", account: BOB, email, createdAt: 1 };
    const run = async () => {
      const { body } = await ask("import", page(BOB, true, true, [accountRecord(BOB)]));
      const others = await ask("import", { account: null, records: [address] });
      return [body.result.outcome, others.body.result.refused];
    };
    assert.deepEqual(await run(), ["opened", []]);
    assert.equal((await ask("account close", { email })).body.result.state, "closed");
    assert.deepEqual(await run(), ["opened_before", []]);
    assert.equal(await deployment.directory.findByEmail({ email }), null);
    assert.equal((await ask("account create", { email })).status, 200);
    assert.deepEqual(await run(), ["opened_before", []], "the address of a new account");
    assert.notEqual((await deployment.directory.findByEmail({ email }))?.account, BOB);
  });

  test("an import says how many keys were made with a secret that the service does not have", async () => {
    const { ask, id } = await openDeployment();
    const made = (await ask("key create", { email: ADA, label: "l" })).body.result;
    const start = made.key.slice(0, 25);
    const key = (number: number, keyStart: string) => ({
      ...{ record: "key", id: `key_Bob000000000000000000${number}`, account: BOB },
      ...{ sha256: `${number}`.repeat(64), start: keyStart, label: "l", createdAt: 1 },
      ...{ lastUsedAt: null, revokedAt: null, previousSha256: null, previousUntil: null },
      ...{ limits: null, budgetSpent: null },
    });
    const other = `${start.slice(0, 15)}AAAAAA${start.slice(21)}`;
    const records = [accountRecord(BOB), key(1, start), key(2, other)];
    const { body } = await ask("import", page(BOB, true, true, records));
    assert.deepEqual([body.result.outcome, body.result.unknownKeys], ["opened", 1]);
    const own = { ...key(3, other), id: `key_${id.slice(4)}0000000003`, account: id };
    const there = await ask("import", page(id, true, true, [accountRecord(id), own]));
    assert.deepEqual([there.body.result.outcome, there.body.result.unknownKeys], ["exists", 0]);
  });
});
