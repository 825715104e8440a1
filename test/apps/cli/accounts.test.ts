import assert from "node:assert/strict";
import { statSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { commandLine, commandProcess, type Json, temporaryFolder } from "./fixture.ts";

/** What accounts, keys and credits show beyond the objects in `contract/operator-commands.ts`: text, files, and what is rare. */
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const KEY = /tb_[0-9A-Za-z]{56}/;
const SECRET = "a secret that is long enough to count";

const freshLine = () => {
  const dataDir = path.join(temporaryFolder(), "data");
  const database = path.join(dataDir, "toolbooth.sqlite");
  return { ...commandLine(dataDir), dataDir, database };
};

test("only the user of the command can read the data that it creates", async () => {
  const cli = freshLine();
  await cli.json("account create ada@b.c");
  assert.equal(statSync(cli.database).mode & 0o777, 0o600);
  assert.equal(statSync(cli.dataDir).mode & 0o777, 0o700);
});

test("concurrent creates of one address create one account, also in an empty folder", async () => {
  const cli = freshLine();
  const alone = commandProcess(cli.dataDir);
  const runs = [1, 2].map(() => alone.run("account create ada@b.c --credits 5 --json"));
  const exits = (await Promise.all(runs)).map(({ status }) => status);
  assert.deepEqual(exits.sort(), [0, 1]);
  const { accounts, totals } = await cli.json("audit");
  assert.deepEqual([accounts, totals.granted], [1, 5]);
});

test("create completes an account whose creation was interrupted", async () => {
  const cli = freshLine();
  await cli.json("account create bob@b.c");
  const driver = openNodeSqlite(cli.database);
  const account = "acc_Ada000000000";
  const { directory } = openSqliteDirect(driver);
  await directory.register({ email: "ada@b.c", account, createdAt: 1 });
  driver.close();
  assert.match(await cli.refused("account suspend ada@b.c"), /account create/);
  assert.equal((await cli.json("account create ada@b.c --credits 3")).id, account);
  assert.equal((await cli.json("credits show ada@b.c")).balance, 3);
});

test("a second account with the same address has no free call", async () => {
  const cli = freshLine();
  await cli.json("account create ada@b.c");
  await cli.json("account close ada@b.c");
  const { status, stderr } = await cli.run("account create ada@b.c --json");
  assert.equal(status, 0);
  assert.match(stderr, /no free call/);
});

test("tables have headings and units, and never show a key", async () => {
  const cli = freshLine();
  await cli.json("account create ada@b.c --credits 20");
  const { key, id } = await cli.json("key create ada@b.c --label production");
  const created = await cli.run("key create ada@b.c --label staging");
  assert.match(created.stdout, /^tb_[0-9A-Za-z]{56}\n/);
  assert.match(created.stdout, /it cannot be shown again/);
  await cli.json(`key limit ${id} --budget-total 9 --networks 203.0.113.7`);
  for (const [line, ...patterns] of [
    ["account list", /^email +id +state +credits +created \(UTC\)\n/],
    ["key list ada@b.c", /production .* never +no/, /9 credits in all \(9 left\); networks/],
    ["credits show ada@b.c", /^The balance of ada@b\.c is 20 credits\./, /expires \(UTC\)\n/],
  ] as const) {
    const { stdout } = await cli.run(line);
    for (const pattern of patterns) assert.match(stdout, pattern);
    assert.doesNotMatch(stdout, KEY);
  }
  const { keys } = await cli.json("key list ada@b.c");
  assert.ok(key.startsWith(keys[0].start) && keys[0].start.length < 30);
  await cli.json("account suspend ada@b.c");
  const { stderr } = await cli.run("key create ada@b.c --label l");
  assert.match(stderr, /account resume ada@b\.c/);
});

test("revoking a key a second time changes nothing", async () => {
  const cli = freshLine();
  await cli.json("account create ada@b.c");
  const { id } = await cli.json("key create ada@b.c --label production");
  const revoked = await cli.json(`key revoke ${id}`);
  assert.match(revoked.revokedAt, ISO);
  assert.deepEqual(await cli.json(`key revoke ${id}`), { id, revokedAt: revoked.revokedAt });
  assert.equal((await cli.json("key list ada@b.c")).keys[0].revokedAt, revoked.revokedAt);
});

test("limit changes what is named and keeps the rest, and rotate keeps the key", async () => {
  const cli = freshLine();
  await cli.json("account create ada@b.c");
  const { id, key } = await cli.json(
    "key create ada@b.c --label l --tools uuid,hash,hash --budget-day 5 --networks 203.0.113.7/24,::ffff:192.0.2.1 --expires 2099-12-31",
  );
  const networks = ["203.0.113.0/24", "192.0.2.1/32"];
  const shown = async () => (await cli.json("key list ada@b.c")).keys[0];
  const { limits } = await shown();
  const { budgets, ...others } = limits;
  assert.deepEqual(others, {
    ...{ expiresAt: "2100-01-01T00:00:00.000Z", tools: ["hash", "uuid"], networks, rate: null },
  });
  assert.match(budgets.day.resetsAt, /T00:00:00\.000Z$/);
  assert.deepEqual([budgets.day.credits, budgets.day.remaining, budgets.month], [5, 5, null]);

  const limited = await cli.json(`key limit ${id} --budget-total 9 --tools none --rate 3`);
  const { tools, rate } = limited.limits;
  assert.deepEqual([tools, rate, limited.limits.networks], [null, 3, networks]);
  const { total } = limited.limits.budgets;
  assert.deepEqual(total, { credits: 9, spent: 0, remaining: 9, resetsAt: null });

  const rotated = await cli.json(`key rotate ${id} --keep 2h`);
  assert.deepEqual(Object.keys(rotated), ["id", "key", "previousUntil"]);
  assert.notEqual(rotated.key, key);
  const after = await shown();
  assert.equal(after.previousUntil, rotated.previousUntil);
  assert.ok(rotated.key.startsWith(after.start));
  assert.deepEqual(after.limits, limited.limits);
  assert.deepEqual(await cli.json(`key limit ${id} --clear`), { id, limits: null });

  for (const [line, sentence] of [
    [`key limit ${id} --tools nope`, /There is no tool "nope"/],
    [`key limit ${id} --networks 10.0.0/8`, /is not a network/],
    [`key limit ${id} --rate 100`, /below the account's limit/],
    [`key limit ${id} --expires 2020-01-01`, /in the future/],
  ] as const)
    assert.match(await cli.refused(line), sentence);
  await cli.json(`key revoke ${id}`);
  for (const line of [`key limit ${id} --rate 1`, `key rotate ${id}`])
    assert.match(await cli.refused(line), /is revoked/);
});

test("key create requires the server's SECRET if the data contains no secret", async () => {
  const cli = freshLine();
  await cli.json("account create ada@b.c", { env: { SECRET } });
  assert.match(await cli.refused("key create ada@b.c --label l"), /Set SECRET/);
  const { key } = await cli.json("key create ada@b.c --label l", { env: { SECRET } });
  assert.match(key, KEY);
});

test("a grant expires after its date, at its time, or never, and is spent in this order", async () => {
  const cli = freshLine();
  await cli.json("account create ada@b.c");
  for (const [given, expiresAt] of [
    // The first millisecond after the date.
    ["5 --expires 2098-12-31", "2099-01-01T00:00:00.000Z"],
    ["6 --expires 2098-12-31T12:00:00+02:00", "2098-12-31T10:00:00.000Z"],
    ["1", null],
  ] as const)
    assert.equal((await cli.json(`credits grant ada@b.c ${given}`)).expiresAt, expiresAt);
  await cli.json("credits grant ada@b.c 9 --id invoice-7");
  const again = await cli.json("credits grant ada@b.c 9 --id operator:invoice-7");
  assert.deepEqual([again.id, again.granted], ["operator:invoice-7", false]);
  const { balance, grants } = await cli.json("credits show ada@b.c");
  assert.equal(balance, 21);
  assert.deepEqual(
    grants.map(({ amount }: Json) => amount),
    [6, 5, 1, 9],
  );
});
