import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { pagesOf, rowsInFile, spoilPage } from "../../stores/sqlite/damage-fixture.ts";
import { commandLine, temporaryFolder } from "./fixture.ts";

/** A data folder with three accounts. */
async function filled() {
  const folder = temporaryFolder();
  const dataDir = path.join(folder, "data");
  const cli = commandLine(dataDir);
  for (const name of ["ada", "bob", "cleo"]) {
    await cli.json(`account create ${name}@b.c --credits 5`);
    await cli.json(`key create ${name}@b.c --label l`);
  }
  const database = path.join(dataDir, "toolbooth.sqlite");
  return { ...cli, folder, dataDir, database, copy: path.join(folder, "copy.sqlite") };
}

/** Changes bytes of a file. */
function change(file: string, edit: (bytes: Buffer) => void): void {
  const bytes = readFileSync(file);
  edit(bytes);
  writeFileSync(file, bytes);
}

/** Flips a bit in the label of the first key: no other row depends on it. */
const flipLabel = (file: string) => {
  const [row] = rowsInFile(file, readFileSync(file), "api_key");
  assert.ok(row);
  change(file, (bytes) => {
    const place = bytes.indexOf("tb_", row.at);
    assert.ok(place < row.at + row.length);
    bytes[place] = (bytes[place] as number) ^ 4;
  });
};

describe("damage", () => {
  test("audit names the account of a row with a flipped bit", async () => {
    const cli = await filled();
    flipLabel(cli.database);
    const { ok, damage } = await cli.failed("audit");
    assert.equal(ok, false);
    assert.match(damage[0], /1 row of api_key changed on the disk.+\(acc_/);
    const { status, stdout } = await cli.run("audit");
    assert.equal(status, 1);
    assert.match(
      stdout,
      /^The ledger does not reconcile, or the database is damaged:\n- The database/,
    );
  });

  test("a command that cannot record its action names the fault", async () => {
    const cli = await filled();
    change(cli.database, (bytes) => {
      for (const page of pagesOf(cli.database, "operator_action")) spoilPage(bytes, page, 0);
    });
    assert.match(
      await cli.refused("credits grant ada@b.c 5"),
      /^The database is damaged\. Restore a backup with `npm run -s toolbooth -- restore <file>`/,
    );
    assert.equal((await cli.json("credits show ada@b.c")).balance, 5);
  });

  test("every command refuses a file whose header or schema is damaged, and says what to do", async () => {
    const cli = await filled();
    const whole = readFileSync(cli.database);
    for (const spoil of [
      (bytes: Buffer) => spoilPage(bytes, 1, 0, 100),
      (bytes: Buffer) => spoilPage(bytes, 1, 100),
    ]) {
      writeFileSync(cli.database, whole);
      change(cli.database, spoil);
      for (const command of ["account list", "audit"])
        assert.match(
          await cli.refused(command),
          /is damaged.+ restore <file>`\. .+docs\/runbooks\.md/,
        );
    }
  });

  test("audit of a page that cannot be read is a finding and not an error", async () => {
    const cli = await filled();
    const [page] = pagesOf(cli.database, "credit_grant");
    change(cli.database, (bytes) => spoilPage(bytes, page as number));
    const { ok, totals, damage } = await cli.failed("audit");
    assert.deepEqual([ok, totals], [false, null]);
    assert.match(damage.join(), /malformed/);
  });

  test("backup says what the copy contains, and restore rejects it with a flipped bit", async () => {
    const cli = await filled();
    const { totals } = await cli.json(`backup ${cli.copy}`);
    assert.equal(totals.granted, 15);
    assert.match(
      (await cli.run(`backup ${cli.copy} --force`)).stdout,
      /\nIt contains 3 accounts, and the ledger reconciles: 15 granted, 15 remaining\.\n/,
    );
    flipLabel(cli.copy);
    assert.match(
      await cli.refused(`restore ${cli.copy}`),
      /is damaged or not a database \(1 row of api_key changed on the disk.+Nothing was changed/,
    );
  });

  test("backup of damaged data is written, and says that restore will reject it", async () => {
    const cli = await filled();
    flipLabel(cli.database);
    const { status, stdout, stderr } = await cli.run(`backup ${cli.copy}`);
    assert.equal(status, 1);
    assert.match(stdout, /\n- 1 row of api_key changed on the disk/);
    assert.match(stderr, /restore will reject it/);
  });
});
