import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { isStartUnder } from "#accounts/key-format.ts";
import { restore } from "#apps/cli/restore.ts";
import { lockDataFolder } from "#apps/node/server-lock.ts";
import { readConfig } from "#config/config.ts";
import { bareEnvironment } from "../../support/bare-environment.ts";
import { commandLine, ENTRY, start, temporaryFolder } from "./fixture.ts";
import { openFolderService } from "./folder-server.ts";

/** How often a restore is killed. With 12, at each of the first changes of the folder. */
const KILLS = Number(process.env["TEST_KILL_ROUNDS"] ?? 3);

/** A data folder with a service, and a folder beside it. */
async function freshFolder() {
  const folder = temporaryFolder();
  const service = await openFolderService({ dataDir: path.join(folder, "data") });
  return { ...service, folder, copy: path.join(folder, "copy.sqlite") };
}

const emailsIn = (file: string): string[] => {
  const database = new DatabaseSync(file);
  const rows = database.prepare("SELECT email FROM address ORDER BY email").all();
  database.close();
  return rows.map(({ email }) => String(email));
};

function change(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

describe("backup and restore", { concurrency: 2 }, () => {
  test("backup overwrites files only with --force, and never the database itself", async () => {
    const cli = await freshFolder();
    await cli.json("account create ada@b.co --credits 5");
    writeFileSync(cli.copy, "mine");
    assert.match(await cli.refused(`backup ${cli.copy}`), /already exists.*--force/);
    assert.equal(readFileSync(cli.copy, "utf8"), "mine");
    const { totals, schemaVersion, ...made } = await cli.json(`backup ${cli.copy} --force`);
    assert.deepEqual(made, {
      ...{ ok: true, file: cli.copy, bytes: statSync(cli.copy).size, accounts: 1 },
      ...{ secretIncluded: false, faults: [] },
    });
    assert.equal(totals.remaining, 5);
    assert.equal(statSync(cli.copy).mode & 0o777, 0o600);
    await cli.stop();
    assert.match(
      await cli.refused(`backup ${cli.database} --force`),
      /is a file of the data folder/,
    );
    assert.match(
      await cli.refused(`backup ${cli.folder}/no/where`),
      /The folder .* does not exist/,
    );
    assert.deepEqual(readdirSync(cli.folder).sort(), ["copy.sqlite", "data"]);
  });

  test("a backup has the secret only on request; without it, restore creates only the database and counts the keys that would fail", async () => {
    const cli = await freshFolder();
    await cli.json("account create ada@b.co");
    const secret = readFileSync(path.join(cli.dataDir, "secret"), "utf8").trim();
    const contains = (file: string) => readFileSync(file).includes(secret);
    assert.deepEqual(
      [secret.length, statSync(path.join(cli.dataDir, "secret")).mode & 0o777],
      [43, 0o600],
    );
    assert.ok(!contains(cli.database));
    const isIn = async (flags: string) => {
      const { secretIncluded } = await cli.json(`backup ${cli.copy} --force${flags}`);
      return [secretIncluded, contains(cli.copy)];
    };
    assert.match((await cli.run(`backup ${cli.copy}`)).stderr, /The secret is not included/);
    assert.deepEqual(await isIn(""), [false, false]);

    const otherDir = path.join(cli.folder, "other");
    const other = commandLine(otherDir);
    const restored = path.join(otherDir, "toolbooth.sqlite");
    // As backups are often kept. Only root may write to such a file.
    chmodSync(cli.copy, 0o444);
    assert.equal((await other.json(`restore ${cli.copy}`)).previous, null);
    assert.deepEqual(readdirSync(otherDir), ["toolbooth.sqlite"]);
    assert.deepEqual(emailsIn(restored), ["ada@b.co"]);
    assert.match(
      (await other.run(`restore ${cli.copy}`)).stderr,
      /secret of the original service is missing here.*set SECRET/,
    );

    const { key } = await cli.json("key create ada@b.co --label l");
    assert.deepEqual(await isIn(""), [false, false]);
    const { stdout, stderr } = await other.run(`restore ${cli.copy}`);
    assert.match(stdout, /The backup did not include the secret/);
    assert.match(stderr, /missing here, so 1 of 1 key would get 401.*copy.*\/secret/);
    assert.ok(!existsSync(path.join(otherDir, "secret")));

    assert.deepEqual(await isIn(" --with-secret"), [true, true]);
    const { unknownKeys } = await other.json(`restore ${cli.copy}`);
    assert.equal(unknownKeys, 0);
    assert.equal(readFileSync(path.join(otherDir, "secret"), "utf8").trim(), secret);
    assert.ok(!contains(restored));
    assert.ok(isStartUnder(key, [secret]));
  });

  test("restore rejects damaged, newer, foreign, inconsistent and incomplete databases and changes nothing", async () => {
    const cli = await freshFolder();
    await cli.json("account create ada@b.co --credits 5");
    await cli.json(`backup ${cli.copy}`);
    await cli.stop();
    const bad = (name: string, spoil: (file: string) => void): string => {
      const file = path.join(cli.folder, name);
      copyFileSync(cli.copy, file);
      spoil(file);
      return `restore ${file}`;
    };
    const bytes = readFileSync(cli.copy);
    const holed = Buffer.from(bytes).fill(0xaa, 4096 * 3, 4096 * 5);
    const contents = () => [readdirSync(cli.dataDir), readFileSync(cli.database)];
    const before = contents();
    for (const [line, expected] of [
      [bad("holed", (file) => writeFileSync(file, holed)), /is damaged or not a database/],
      [bad("short", (file) => writeFileSync(file, bytes.subarray(0, 9000))), /is damaged/],
      [bad("text", (file) => writeFileSync(file, "hello\n".repeat(999))), /is damaged/],
      [bad("empty", (file) => writeFileSync(file, "")), /but not a Toolbooth database/],
      [
        bad("newer", (file) =>
          change(file, "INSERT INTO schema_migration VALUES (99, 'later', '', 99, 0)"),
        ),
        /schema version 99.+Nothing was changed/,
      ],
      [
        bad("edited", (file) => change(file, "UPDATE schema_migration SET sha256 = 'no'")),
        /Migration 1 \(initial\) .+ checksums differ.+Nothing was changed/,
      ],
      [
        bad("inconsistent", (file) => change(file, "UPDATE credit_grant SET remaining = 4")),
        /does not reconcile/,
      ],
      [
        bad("logged", (file) => {
          writeFileSync(file, holed);
          writeFileSync(`${file}-wal`, "x");
        }),
        /cannot be read with its log \(.+\)\. Nothing was changed/,
      ],
      [`restore ${cli.database}`, /is the database itself/],
      [`restore ${cli.folder}/nothing`, /does not exist/],
    ] as const) {
      assert.match(await cli.refused(line), expected);
    }
    assert.deepEqual(contents(), before);
  });

  test("a database that was saved with its log from a server is restored with all its commits", async () => {
    const cli = await freshFolder();
    await cli.json("account create ada@b.co --credits 5");
    const saved = path.join(cli.folder, "saved.sqlite");
    for (const suffix of ["", "-wal"]) copyFileSync(cli.database + suffix, saved + suffix);
    assert.ok(statSync(`${saved}-wal`).size > 0);
    await cli.stop();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(cli.database + suffix, { force: true });
    assert.equal((await cli.json(`audit --file ${saved}`)).totals.remaining, 5);
    assert.equal((await cli.json(`restore ${saved}`)).accounts, 1);
    assert.deepEqual(emailsIn(cli.database), ["ada@b.co"]);
  });

  test("a restore that fails once the data is replaced says so, and the next start moves the secret", async () => {
    const cli = await freshFolder();
    await cli.json("account create ada@b.co");
    const { key } = await cli.json("key create ada@b.co --label l");
    const secret = readFileSync(path.join(cli.dataDir, "secret"), "utf8").trim();
    await cli.json(`backup ${cli.copy} --with-secret`);
    const otherDir = path.join(cli.folder, "other");
    const other = commandLine(otherDir);
    // The secret cannot be written, as on a full disk.
    const inTheWay = path.join(otherDir, "secret");
    mkdirSync(inTheWay, { recursive: true });
    for (const kept of [
      /no previous database/,
      /previous database is now \S+-before-\S+\.sqlite\./,
    ]) {
      const failed = await other.refused(`restore ${cli.copy}`);
      assert.match(
        failed,
        /^Restored \S+ to \S+, but the command failed afterwards: \S+ is not a file\./,
      );
      assert.match(failed, kept);
      assert.match(failed, /start the server: it moves the secret to \S+\/secret\./);
      assert.doesNotMatch(failed, /Nothing was changed/);
      assert.deepEqual(emailsIn(path.join(otherDir, "toolbooth.sqlite")), ["ada@b.co"]);
    }
    rmSync(inTheWay, { recursive: true });
    const service = await openFolderService({ dataDir: otherDir });
    assert.equal(readFileSync(inTheWay, "utf8").trim(), secret);
    assert.ok(isStartUnder(key, [secret]));
    await service.stop();
  });

  test("restore over unreadable data requires --force and still keeps that data", async () => {
    const cli = await freshFolder();
    await cli.json("account create ada@b.co");
    await cli.json(`backup ${cli.copy}`);
    await cli.stop();
    const ruin = "not a database\n".repeat(999);
    writeFileSync(cli.database, ruin);
    assert.match(await cli.refused(`restore ${cli.copy}`), /Stop the server and add --force/);
    const { previous } = await cli.json(`restore ${cli.copy} --force`);
    assert.equal(readFileSync(previous, "utf8"), ruin);
    assert.deepEqual(emailsIn(cli.database), ["ada@b.co"]);
  });

  test("a restore without enough space says so, and changes nothing", async (t) => {
    const cli = await freshFolder();
    await cli.json(`backup ${cli.copy}`);
    await cli.stop();
    const dataDir = path.join(cli.folder, "small");
    mkdirSync(dataDir);
    const own = ["--mount", "--", "sh", "-c"];
    if (spawnSync("unshare", [...own, `mount -t tmpfs tmpfs ${dataDir}`]).status !== 0)
      return t.skip("this user may not mount");
    const size = statSync(cli.copy).size / 1024;
    // Too little for the copy, the shared memory of its log, and the log.
    for (const more of [-8, 8, 36]) {
      const mount = `mount -t tmpfs -o size=${size + more}k tmpfs ${dataDir}`;
      const steps = `${mount} && "$@" 2>&1; ls ${dataDir}`;
      const command = ["--disable-warning=ExperimentalWarning", ENTRY, "restore", cli.copy];
      const { stdout } = spawnSync("unshare", [...own, steps, "sh", process.execPath, ...command], {
        ...{ env: { ...bareEnvironment(), DATA_DIR: dataDir }, encoding: "utf8" },
      });
      assert.match(stdout, /^The disk is full\..*\n$/, `${more} KB more than the backup`);
    }
    return undefined;
  });

  test("no server starts while a restore works, which would delete the copy", async () => {
    const cli = await freshFolder();
    await cli.json(`backup ${cli.copy}`);
    await cli.stop();
    const { dataDir } = cli;
    // As a server did that ran on the folder.
    lockDataFolder(dataDir, 0).release();
    const config = readConfig({ DATA_DIR: dataDir });
    const invocation = { config, json: false, now: Date.now(), connect: assert.fail, log() {} };
    const restoring = restore(invocation, { file: cli.copy });
    assert.ok(readdirSync(dataDir).some((name) => name.endsWith(".partial")));
    assert.throws(() => lockDataFolder(dataDir, 0), /is already running/);
    await restoring;
    lockDataFolder(dataDir, 0).release();
  });

  test("a restore that is killed at any point leaves the old data or the new", async (t) => {
    const cli = await freshFolder();
    await cli.json("account create new@b.co --credits 5");
    await cli.json(`backup ${cli.copy}`);
    await cli.json("account close new@b.co");
    await cli.json("account create old@b.co --credits 7");
    await cli.stop();
    const left: string[] = [];
    const killAt = async (step: number) => {
      const dataDir = path.join(cli.folder, `killed-${step}`);
      mkdirSync(dataDir);
      copyFileSync(cli.database, path.join(dataDir, "toolbooth.sqlite"));
      const watcher = watch(dataDir);
      const child = start(["restore", cli.copy], { DATA_DIR: dataDir });
      let steps = 0;
      watcher.on("change", () => {
        steps += 1;
        if (steps === step) child.kill("SIGKILL");
      });
      await once(child, "exit");
      watcher.close();
      const database = new DatabaseSync(path.join(dataDir, "toolbooth.sqlite"));
      const sound = database.prepare("PRAGMA integrity_check").get();
      assert.equal(sound?.["integrity_check"], "ok");
      const emails = database.prepare("SELECT email FROM address").all();
      database.close();
      left.push(emails.map(({ email }) => email).join());
      const service = await openFolderService({ dataDir });
      const names = readdirSync(dataDir);
      assert.ok(!names.some((name) => name.includes(".partial")), "a start deletes what is left");
      await service.stop();
    };
    for (let kill = 0; kill < KILLS; kill += 1) await killAt(1 + ((kill * 5) % 12));
    for (const emails of left) assert.match(emails, /^(old|new)@b\.co$/);
    t.diagnostic(left.join(", "));
  });
});
