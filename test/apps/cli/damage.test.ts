import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { pagesOf, rowsInFile, spoilPage } from "../../stores/sqlite/damage-fixture.ts";
import { openFolderService } from "./folder-server.ts";

/** A data folder with three accounts, whose service has stopped. */
async function filled() {
  const cli = await openFolderService();
  for (const name of ["ada", "bob", "cleo"]) {
    await cli.json(`account create ${name}@b.co --credits 5`);
    await cli.json(`key create ${name}@b.co --label l`);
  }
  await cli.stop();
  const { dataDir } = cli;
  /** Starts it again. */
  const serve = () => openFolderService({ dataDir });
  const check = `audit --file ${cli.database}`;
  return { ...cli, serve, check, copy: path.join(path.dirname(dataDir), "copy.sqlite") };
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
  test("audit names the account of a row with a flipped bit, with a server and without", async () => {
    const cli = await filled();
    flipLabel(cli.database);
    const damaged = /1 row of api_key changed on the disk.+\(acc_/;
    const { ok, damage } = await cli.failed(cli.check);
    assert.equal(ok, false);
    assert.match(damage[0], damaged);
    const service = await cli.serve();
    assert.match((await service.failed("audit")).damage[0], damaged);
    const { status, stdout } = await service.run("audit");
    assert.equal(status, 1);
    assert.match(stdout, /^The database is damaged:\n- /);
  });

  test("audit of a file whose header or schema is damaged is a finding and not an error", async () => {
    const cli = await filled();
    const whole = readFileSync(cli.database);
    for (const spoil of [
      (bytes: Buffer) => spoilPage(bytes, 1, 0, 100),
      (bytes: Buffer) => spoilPage(bytes, 1, 100),
    ]) {
      writeFileSync(cli.database, whole);
      change(cli.database, spoil);
      const { ok, damage } = await cli.failed(cli.check);
      assert.equal(ok, false);
      assert.match(damage.join(), /malformed|not a database/);
    }
    writeFileSync(cli.database, "hello\n".repeat(999));
    assert.match((await cli.failed(cli.check)).damage.join(), /not a database/);
    writeFileSync(cli.database, "");
    assert.match(await cli.refused(cli.check), /is not a database of this version/);
    assert.match(await cli.refused(`audit --file ${cli.dataDir}/none`), /none does not exist/);
  });

  test("audit of a page that cannot be read is a finding and not an error", async () => {
    const cli = await filled();
    const [page] = pagesOf(cli.database, "credit_grant");
    change(cli.database, (bytes) => spoilPage(bytes, page as number));
    const { ok, totals, damage } = await cli.failed(cli.check);
    assert.deepEqual([ok, totals], [false, null]);
    assert.match(damage.join(), /malformed/);
  });

  test("backup says what the copy contains, and restore rejects it with a flipped bit", async () => {
    const cli = await filled();
    const service = await cli.serve();
    const { totals } = await service.json(`backup ${cli.copy}`);
    assert.equal(totals.granted, 15);
    assert.match(
      (await service.run(`backup ${cli.copy} --force`)).stdout,
      /\nIt contains 3 accounts, and the ledger reconciles: 15 granted, 15 remaining\.\n/,
    );
    await service.stop();
    assert.equal((await cli.json(`audit --file ${cli.copy}`)).accounts, 3);
    flipLabel(cli.copy);
    assert.match(
      await cli.refused(`restore ${cli.copy}`),
      /is damaged or not a database \(1 row of api_key changed on the disk.+Nothing was changed/,
    );
  });

  test("backup of damaged data is written, and says that restore will reject it", async () => {
    const cli = await filled();
    flipLabel(cli.database);
    const service = await cli.serve();
    const { status, stdout, stderr } = await service.run(`backup ${cli.copy}`);
    assert.equal(status, 1);
    assert.match(stdout, /\n- 1 row of api_key changed on the disk/);
    assert.match(stderr, /restore will reject it/);
  });

  test("backup of data in which many accounts do not reconcile is written, and names the first of them", async () => {
    const cli = await openFolderService();
    const now = Date.now();
    for (let number = 100; number < 400; number += 1) {
      const account = `acc_Many00000${number}`;
      await cli.ledger.openAccount({ account, freeCall: "open", now });
      const grant = { account, id: "g", kind: "operator" as const, amount: 5 };
      await cli.ledger.grant({ ...grant, expiresAt: null, now });
    }
    cli.driver.exec("UPDATE credit_grant SET amount = 6");
    const copy = path.join(path.dirname(cli.dataDir), "copy.sqlite");
    const { ok, faults } = await cli.failed(`backup ${copy}`);
    assert.deepEqual([ok, faults.length], [false, 21]);
    assert.match(faults[1], /^acc_Many00000100: 6 credits were granted, but 5 are accounted for$/);
    assert.equal(faults[20], "and 281 more, which audit lists");
    assert.equal(readFileSync(copy).toString("latin1", 0, 15), "SQLite format 3");
  });
});
