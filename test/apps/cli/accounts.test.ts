import assert from "node:assert/strict";
import { statSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { commandLine, commandProcess, type Json, temporaryFolder } from "./fixture.ts";

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const KEY = /tb_[0-9A-Za-z]{56}/;

/** Each group has its own data folder, so that groups can run at the same time. */
const freshLine = (env = {}) => {
  const dataDir = path.join(temporaryFolder(), "data");
  return {
    ...commandLine(dataDir, env),
    dataDir,
    database: path.join(dataDir, "toolbooth.sqlite"),
  };
};

describe("account, key and credits commands", { concurrency: 3 }, () => {
  describe("account", { concurrency: 1 }, () => {
    test("create creates the database, the account and one grant without expiry", async () => {
      const cli = freshLine();
      const created = await cli.json("account create Ada@Example.org --credits 7");
      assert.match(created.id, /^acc_[0-9A-Za-z]{12}$/);
      assert.deepEqual(created, { id: created.id, email: "ada@example.org", balance: 7 });
      assert.equal(statSync(cli.database).mode & 0o777, 0o600);
      assert.equal(statSync(cli.dataDir).mode & 0o777, 0o700);
      const { balance, grants } = await cli.json("credits show ada@example.org");
      assert.equal(balance, 7);
      const [{ id, ...grant }] = grants;
      assert.match(id, /^operator:[0-9A-Za-z]{16}$/);
      assert.deepEqual(grant, { kind: "operator", amount: 7, remaining: 7, expiresAt: null });
      assert.match(await cli.refused("account create ada@example.org"), /already.*credits grant/);
    });

    test("concurrent creates of one address create one account, also in an empty folder", async () => {
      const cli = freshLine();
      const alone = commandProcess(cli.dataDir);
      const runs = Array.from({ length: 4 }, () =>
        alone.run("account create ada@b.c --credits 5 --json"),
      );
      const exits = (await Promise.all(runs)).map(({ status }) => status);
      assert.deepEqual(exits.sort(), [0, 1, 1, 1]);
      const { accounts, totals } = await cli.json("audit");
      assert.deepEqual([accounts, totals.granted], [1, 5]);
    });

    test("suspend, resume and close change the state, and close reports the forfeited credits", async () => {
      const cli = freshLine();
      const { id } = await cli.json("account create ada@b.c --credits 5");
      await cli.json("account create bob@b.c");
      assert.deepEqual(await cli.json("account suspend ada@b.c"), {
        id,
        email: "ada@b.c",
        state: "suspended",
      });
      const { accounts } = await cli.json("account list");
      assert.deepEqual(
        accounts.map(({ email, state, balance }: Json) => [email, state, balance]),
        [
          ["ada@b.c", "suspended", 5],
          ["bob@b.c", "open", 0],
        ],
      );
      assert.match(accounts[0].createdAt, ISO);
      assert.equal((await cli.json("account resume ada@b.c")).state, "open");
      assert.deepEqual(await cli.json("account close ada@b.c"), {
        id,
        email: "ada@b.c",
        state: "closed",
        forfeited: 5,
      });
      assert.match(
        await cli.refused("credits grant ada@b.c 5"),
        /no account for ada@b\.c.*account create/,
      );
      // A second account with the same address has no free call.
      const { status, stderr } = await cli.run("account create ada@b.c --json");
      assert.equal(status, 0);
      assert.match(stderr, /no free call/);
      assert.match(
        (await cli.run("account list")).stdout,
        /^email +id +state +credits +created \(UTC\)\n/,
      );
    });

    test("create completes an account whose creation was interrupted", async () => {
      const cli = freshLine();
      await cli.json("account create bob@b.c");
      const driver = openNodeSqlite(cli.database);
      const account = "acc_Ada000000000";
      await openSqliteDirect(driver).directory.register({
        email: "ada@b.c",
        account,
        createdAt: 1,
      });
      driver.close();
      assert.match(await cli.refused("account suspend ada@b.c"), /account create/);
      assert.equal((await cli.json("account create ada@b.c --credits 3")).id, account);
      assert.equal((await cli.json("credits show ada@b.c")).balance, 3);
    });
  });

  describe("key", { concurrency: 1 }, () => {
    test("create shows the key once, and list never shows it", async () => {
      const cli = freshLine();
      await cli.json("account create ada@b.c");
      const created = await cli.json("key create ada@b.c --label production");
      assert.deepEqual(Object.keys(created), ["id", "key"]);
      assert.match(created.key, new RegExp(`^${KEY.source}$`));
      const { stdout } = await cli.run("key create ada@b.c --label staging");
      assert.match(stdout, /^tb_[0-9A-Za-z]{56}\n/);
      assert.match(stdout, /it cannot be shown again/);

      const { email, keys } = await cli.json("key list ada@b.c");
      assert.deepEqual([email, keys.length], ["ada@b.c", 2]);
      const { createdAt, start, ...first } = keys[0];
      assert.match(createdAt, ISO);
      assert.ok(created.key.startsWith(start) && start.length < 30);
      assert.deepEqual(first, {
        id: created.id,
        label: "production",
        lastUsedAt: null,
        revokedAt: null,
        limits: null,
        previousUntil: null,
        unused: false,
      });
      const table = await cli.run("key list ada@b.c");
      assert.doesNotMatch(table.stdout, KEY);
      assert.match(table.stdout, /production .* never +no/);

      const revoked = await cli.json(`key revoke ${created.id}`);
      assert.deepEqual(Object.keys(revoked), ["id", "revokedAt"]);
      assert.deepEqual(
        await cli.json(`key revoke ${created.id}`),
        revoked,
        "revoking a second time changes nothing",
      );
      assert.equal((await cli.json("key list ada@b.c")).keys[0].revokedAt, revoked.revokedAt);
    });

    test("limit changes what is named and keeps the rest, and rotate keeps the key", async () => {
      const cli = freshLine();
      await cli.json("account create ada@b.c");
      const { id, key } = await cli.json(
        "key create ada@b.c --label l --tools uuid,hash,hash --budget-day 5 --networks 203.0.113.7/24,::ffff:192.0.2.1 --expires 2099-12-31",
      );
      const networks = ["203.0.113.0/24", "192.0.2.1/32"];
      const midnight = /T00:00:00\.000Z$/;
      const shown = async () => (await cli.json("key list ada@b.c")).keys[0];
      const { limits } = await shown();
      const { budgets, ...others } = limits;
      assert.deepEqual(others, {
        ...{ expiresAt: "2100-01-01T00:00:00.000Z", tools: ["hash", "uuid"], networks, rate: null },
      });
      assert.match(budgets.day.resetsAt, midnight);
      assert.deepEqual([budgets.day.credits, budgets.day.remaining, budgets.month], [5, 5, null]);

      const limited = await cli.json(`key limit ${id} --budget-total 9 --tools none --rate 3`);
      assert.deepEqual(
        [limited.limits.tools, limited.limits.rate, limited.limits.networks],
        [null, 3, networks],
      );
      const { total } = limited.limits.budgets;
      assert.deepEqual(total, { credits: 9, spent: 0, remaining: 9, resetsAt: null });
      assert.match(
        (await cli.run("key list ada@b.c")).stdout,
        /9 credits in all \(9 left\); networks/,
      );

      const rotated = await cli.json(`key rotate ${id} --keep 2h`);
      assert.deepEqual(Object.keys(rotated), ["id", "key", "previousUntil"]);
      assert.notEqual(rotated.key, key);
      const after = await shown();
      assert.equal(after.previousUntil, rotated.previousUntil);
      assert.ok(rotated.key.startsWith(after.start));
      assert.deepEqual(after.limits, limited.limits);
      assert.deepEqual(await cli.json(`key limit ${id} --clear`), { id, limits: null });

      assert.match(await cli.refused(`key limit ${id} --tools nope`), /There is no tool "nope"/);
      assert.match(await cli.refused(`key limit ${id} --networks 10.0.0/8`), /is not a network/);
      assert.match(await cli.refused(`key limit ${id} --rate 100`), /below the account's limit/);
      assert.match(await cli.refused(`key limit ${id} --expires 2020-01-01`), /in the future/);
      await cli.json(`key revoke ${id}`);
      assert.match(await cli.refused(`key limit ${id} --rate 1`), /is revoked/);
      assert.match(await cli.refused(`key rotate ${id}`), /is revoked/);
    });

    test("create rejects invalid labels and unknown accounts", async () => {
      const cli = freshLine();
      await cli.json("account create ada@b.c");
      assert.match(await cli.refused(`key create ada@b.c --label ${"l".repeat(101)}`), /1 to 100/);
      assert.match(await cli.refused("key create bob@b.c --label l"), /no account for bob@b\.c/);
      assert.match(await cli.refused("key revoke key_Ada0000000000000000000"), /key list/);
      await cli.json("account suspend ada@b.c");
      assert.match(
        (await cli.run("key create ada@b.c --label l")).stderr,
        /account resume ada@b\.c/,
      );
    });

    test("create requires the server's SECRET if the data contains no secret", async () => {
      const cli = freshLine();
      const env = { SECRET: "a secret that is long enough to count" };
      await cli.json("account create ada@b.c", { env });
      assert.match(await cli.refused("key create ada@b.c --label l"), /Set SECRET/);
      assert.match((await cli.json("key create ada@b.c --label l", { env })).key, KEY);
    });
  });

  describe("credits", { concurrency: 1 }, () => {
    const cli = freshLine();

    test("grant accepts a date including that day, a time, and no expiry", async () => {
      await cli.json("account create ada@b.c");
      const day = await cli.json("credits grant ada@b.c 5 --expires 2098-12-31");
      assert.equal(
        day.expiresAt,
        "2099-01-01T00:00:00.000Z",
        "the first millisecond after the date",
      );
      const instant = await cli.json("credits grant ada@b.c 5 --expires 2098-12-31T12:00:00+02:00");
      assert.equal(instant.expiresAt, "2098-12-31T10:00:00.000Z");
      const never = await cli.json("credits grant ada@b.c 1");
      assert.deepEqual([never.expiresAt, never.balance, never.granted], [null, 11, true]);
      assert.equal(new Set([day.id, instant.id, never.id]).size, 3);
      assert.match(
        await cli.refused("credits grant ada@b.c 5 --expires 2020-01-01"),
        /in the past/,
      );
      assert.equal((await cli.json("credits show ada@b.c")).balance, 11);
    });

    test("grant with an id is made once and never changed", async () => {
      const line = "credits grant ada@b.c 9 --id invoice-7";
      assert.deepEqual(await cli.json(line), {
        email: "ada@b.c",
        id: "operator:invoice-7",
        amount: 9,
        expiresAt: null,
        granted: true,
        balance: 20,
      });
      const again = await cli.json(`${line.slice(0, -9)}operator:invoice-7`);
      assert.deepEqual([again.granted, again.balance], [false, 20]);
      assert.match(
        await cli.refused("credits grant ada@b.c 8 --id invoice-7"),
        /9 credits and no expiry/,
      );
    });

    test("show lists the grants in the order in which they are spent", async () => {
      const shown = await cli.json("credits show ada@b.c");
      assert.deepEqual(Object.keys(shown), ["balance", "grants"]);
      assert.deepEqual(
        shown.grants.map(({ amount, expiresAt }: Json) => [
          amount,
          expiresAt?.slice(0, 10) ?? null,
        ]),
        [
          [5, "2098-12-31"],
          [5, "2099-01-01"],
          [1, null],
          [9, null],
        ],
      );
      assert.deepEqual(Object.keys(shown.grants[0]), [
        "id",
        "kind",
        "amount",
        "remaining",
        "expiresAt",
      ]);
      const { stdout } = await cli.run("credits show ada@b.c");
      assert.match(stdout, /^The balance of ada@b\.c is 20 credits\./);
      assert.match(stdout, /expires \(UTC\)\n/);
    });
  });
});
