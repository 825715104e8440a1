import assert from "node:assert/strict";
import { test } from "node:test";
import { commandProcess, type Json } from "./fixture.ts";
import { openFolderService } from "./folder-server.ts";

/** What accounts, keys and credits show beyond the objects in `contract/operator-commands.ts`: text, files, and what is rare. */
const KEY = /tb_[0-9A-Za-z]{56}/;

test("concurrent creates of one address create one account", async () => {
  const cli = await openFolderService();
  const alone = commandProcess(cli.dataDir);
  const runs = [1, 2].map(() => alone.run("account create ada@b.co --credits 5 --json"));
  const exits = (await Promise.all(runs)).map(({ status }) => status);
  assert.deepEqual(exits.sort(), [0, 1]);
  const { accounts, totals } = await cli.json("audit");
  assert.deepEqual([accounts, totals.granted], [1, 5]);
});

test("create completes an account whose creation was interrupted", async () => {
  const cli = await openFolderService();
  await cli.json("account create bob@b.co");
  const account = "acc_Ada000000000";
  await cli.directory.register({ email: "ada@b.co", account, createdAt: 1 });
  assert.match(await cli.refused("account suspend ada@b.co"), /account create/);
  assert.equal((await cli.json("account create ada@b.co --credits 3")).id, account);
  assert.equal((await cli.json("credits show ada@b.co")).balance, 3);
});

test("a second account with the same address has no free call", async () => {
  const cli = await openFolderService();
  await cli.json("account create ada@b.co");
  await cli.json("account close ada@b.co");
  const { status, stderr } = await cli.run("account create ada@b.co --json");
  assert.equal(status, 0);
  assert.match(stderr, /no free call/);
});

test("tables have headings and units, and never show a key", async () => {
  const cli = await openFolderService();
  await cli.json("account create ada@b.co --credits 20");
  const { key, id } = await cli.json("key create ada@b.co --label production");
  const created = await cli.run("key create ada@b.co --label staging");
  assert.match(created.stdout, /^tb_[0-9A-Za-z]{56}\n/);
  assert.match(created.stdout, /it cannot be shown again/);
  await cli.json(`key limit ${id} --budget-total 9 --networks 203.0.113.7`);
  for (const [line, ...patterns] of [
    ["account list", /^email +id +state +credits +created \(UTC\)\n/],
    ["key list ada@b.co", /production .* never +no/, /9 credits in total \(9 left\); networks/],
    ["credits show ada@b.co", /^The balance of ada@b\.co is 20 credits\./, /expires \(UTC\)\n/],
  ] as const) {
    const { stdout } = await cli.run(line);
    for (const pattern of patterns) assert.match(stdout, pattern);
    assert.doesNotMatch(stdout, KEY);
  }
  const { keys } = await cli.json("key list ada@b.co");
  assert.ok(key.startsWith(keys[0].start) && keys[0].start.length < 30);
  await cli.json("account suspend ada@b.co");
  const { stderr } = await cli.run("key create ada@b.co --label l");
  assert.match(stderr, /account resume ada@b\.co/);
});

test("limit changes what is named and keeps the rest, and rotate keeps the key", async () => {
  const cli = await openFolderService();
  await cli.json("account create ada@b.co");
  const { id, key } = await cli.json(
    "key create ada@b.co --label l --tools uuid,hash,hash --budget-day 5 --networks 203.0.113.7/24,::ffff:192.0.2.1 --expires 2099-12-31",
  );
  const networks = ["203.0.113.0/24", "192.0.2.1/32"];
  const shown = async () => (await cli.json("key list ada@b.co")).keys[0];
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
  assert.match(await cli.wrong(`key rotate ${id} --keep 2y`), /must be a duration such as 90m/);
});

test("a grant expires after its date, at its time, or never, and is spent in this order", async () => {
  const cli = await openFolderService();
  await cli.json("account create ada@b.co");
  for (const [given, expiresAt] of [
    // The first millisecond after the date.
    ["5 --expires 2098-12-31", "2099-01-01T00:00:00.000Z"],
    ["6 --expires 2098-12-31T12:00:00+02:00", "2098-12-31T10:00:00.000Z"],
    ["1", null],
  ] as const)
    assert.equal((await cli.json(`credits grant ada@b.co ${given}`)).expiresAt, expiresAt);
  await cli.json("credits grant ada@b.co 9 --id invoice-7");
  const again = await cli.json("credits grant ada@b.co 9 --id operator:invoice-7");
  assert.deepEqual([again.id, again.granted], ["operator:invoice-7", false]);
  const { balance, grants } = await cli.json("credits show ada@b.co");
  assert.equal(balance, 21);
  assert.deepEqual(
    grants.map(({ amount }: Json) => amount),
    [6, 5, 1, 9],
  );
});
