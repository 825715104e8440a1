import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { before, describe, test } from "node:test";
import { isStartUnder } from "#accounts/key-format.ts";
import { readConfig } from "#config/config.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { openDataFolderOf } from "../../../src/apps/cli/open-sqlite.ts";
import { commandLine, commandProcess, temporaryFolder } from "./fixture.ts";

describe("export and import", () => {
  const folder = temporaryFolder();
  const cli = commandLine(path.join(folder, "data"));
  const alone = commandProcess(path.join(folder, "data"));
  const file = path.join(folder, "ledger.jsonl");
  let key: string;
  /** Without the secret. */
  let exported: string;

  const elsewhere = (name: string) => {
    const dataDir = path.join(folder, name);
    return { ...commandLine(dataDir), dataDir };
  };

  before(async () => {
    await cli.json("account create ada@b.c --credits 5");
    ({ key } = await cli.json("key create ada@b.c --label l"));
  });

  test("export writes the lines to a file with mode 0600 or to standard output", async () => {
    const summary = await cli.json(`export ${file} --with-secret`);
    assert.deepEqual(summary, {
      file,
      counts: { account: 1, address: 1, key: 1, grant: 1, secret: 1 },
      secretIncluded: true,
    });
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.match(await cli.refused(`export ${file}`), /already exists.*--force/);
    const { status, stdout, stderr } = await alone.run("export");
    assert.equal(status, 0);
    exported = stdout;
    const lines = stdout.trimEnd().split("\n");
    assert.equal(lines.length, 6);
    for (const line of lines) JSON.parse(line);
    assert.match(stderr, /^Exported records .*\. The secret is not included/);
    assert.ok(!stdout.includes(key));
    assert.deepEqual(readdirSync(folder).sort(), ["data", "ledger.jsonl"]);
  });

  test("an export writes its lines without a transaction that would keep the server's log from being emptied", async () => {
    const dataDir = path.join(folder, "data");
    const config = readConfig({ DATA_DIR: dataDir });
    const log = assert.fail;
    const deployment = await openDataFolderOf(
      { config, remote: null, json: false, now: 0, log },
      false,
    );
    const server = openNodeSqlite(path.join(dataDir, "toolbooth.sqlite"));
    const emptied: unknown[] = [];
    try {
      await deployment.exportLines(false, () => {
        server.exec(
          "INSERT INTO setting (name, value) VALUES ('written', '') ON CONFLICT DO NOTHING; DELETE FROM setting WHERE name = 'written'",
        );
        emptied.push({ ...server.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get() });
      });
    } finally {
      server.close();
      await deployment.close();
    }
    assert.ok(emptied.length >= 5);
    for (const row of emptied) assert.deepEqual(row, { busy: 0, log: 0, checkpointed: 0 });
  });

  test("import into a new folder gives the same lines and the secret of the keys", async () => {
    const other = elsewhere("other");
    const { counts, secretIncluded } = await other.json(`import ${file}`);
    assert.deepEqual([counts.account, secretIncluded], [1, true]);
    assert.deepEqual(readdirSync(other.dataDir).sort(), ["secret", "toolbooth.sqlite"]);
    const copy = path.join(folder, "copy.jsonl");
    await other.json(`export ${copy} --with-secret`);
    assert.equal(readFileSync(copy, "utf8"), readFileSync(file, "utf8"));
    assert.match(
      await other.refused(`import ${file}`),
      /not empty, and an import never merges ledgers/,
    );
    const secret = readFileSync(path.join(other.dataDir, "secret"), "utf8").trim();
    assert.ok(isStartUnder(key, [secret]));
  });

  test("import reads standard input and says which SECRET to set", async () => {
    const other = commandProcess(path.join(folder, "piped"));
    const ran = await other.run("import --json", { input: exported });
    assert.equal(ran.status, 0, ran.stdout);
    assert.deepEqual(JSON.parse(ran.stdout).secretIncluded, false);
    assert.match(ran.stderr, /DATA_DIR\/secret of the original service, or set SECRET/);
  });

  test("import rejects a truncated or damaged file with the line number and writes nothing", async () => {
    const other = elsewhere("refused");
    const lines = readFileSync(file, "utf8").split("\n");
    const bad = path.join(folder, "bad.jsonl");
    for (const [text, fault] of [
      [
        lines.slice(0, 4).join("\n"),
        /ends after line 4 without a trailer.*Nothing was imported\.$/,
      ],
      [lines.join("\n").slice(0, 300), /^Line 4 is not JSON/],
      ["x".repeat(3_000_000), /longer than any record/],
      ["", /The input is empty/],
    ] as const) {
      writeFileSync(bad, text);
      assert.match(await other.refused(`import ${bad}`), fault);
      assert.deepEqual(readdirSync(other.dataDir), []);
    }
    assert.match(await other.refused(`import ${folder}/none`), /none does not exist/);
  });
});
