import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { readConfig } from "#config/config.ts";
import { CONNECTIONS_MAX } from "#limits.ts";
import { SCHEMA_MIGRATION_TABLE } from "#stores/schema/migrations.ts";
import { DataFolderError, databaseFile, folderError } from "../../../src/apps/node/data-folder.ts";
import { connectionsWithin, readOpenFilesLimit } from "../../../src/apps/node/open-files.ts";
import { explain } from "../../../src/apps/node/start-text.ts";
import { openNodeStore } from "../../../src/apps/node/store.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { commandLine } from "../cli/fixture.ts";

/** What the server and the command line say when they cannot work: one sentence on the cause, and what to do. */

const systemError = (code: string) => Object.assign(new Error(`${code}: no`), { code });
const sqliteError = (errcode: number, message: string) =>
  Object.assign(new Error(message), { code: "ERR_SQLITE_ERROR", errcode });

const MESSAGES: readonly [error: Error, message: RegExp][] = [
  [
    sqliteError(1, "table debit has no column named tool"),
    /toolbooth\.sqlite is damaged: its schema cannot be used \(table debit .*Restore a backup with/,
  ],
  [sqliteError(5, "database is locked"), /is locked by another process/],
  [
    sqliteError(8, "attempt to write a readonly database"),
    /is not writable\. Make the folder writable/,
  ],
  [sqliteError(11, "database disk image is malformed"), /is damaged .*Restore a backup with/],
  [
    sqliteError(13, "database or disk is full"),
    /^The disk that holds .* is full\. Free some space/,
  ],
  [
    sqliteError(778, "disk I/O error"),
    /^The disk that holds .* does not work \(disk I\/O error\)\. Check the disk/,
  ],
  [systemError("ENOSPC"), /^The disk that holds .* is full\. Free some space/],
  [systemError("EDQUOT"), /^The disk that holds .* is full\. Free some space/],
  [systemError("EIO"), /^The disk that holds .* does not work/],
  [systemError("EROFS"), /^The data folder .* is not writable/],
  [systemError("EACCES"), /^The data folder .* is not writable/],
  [systemError("EMFILE"), /^This process may not open more files\. Raise the limit/],
];

test("explains every error of the data folder without a stack", (t) => {
  const dataDir = temporaryFolder(t);
  for (const [error, message] of MESSAGES) {
    const explained = folderError(error, dataDir);
    assert.ok(explained instanceof DataFolderError, error.message);
    assert.match(explained.message, message);
    assert.doesNotMatch(explained.message, /\n/);
  }
  const bug = new TypeError("x is not a function");
  assert.equal(folderError(bug, dataDir), bug);
});

test("explains why a server cannot listen, and asks to report what is unexpected", () => {
  for (const [code, message] of [
    [
      "EADDRINUSE",
      /^Another process already listens on this address \(EADDRINUSE: no\)\. Set PORT/,
    ],
    ["EACCES", /^This user may not listen on this address .+ Set PORT to 1024 or more\.$/],
    ["EADDRNOTAVAIL", /^HOST is not a local address \(/],
    ["ENOTFOUND", /^HOST is not a local address \(/],
    ["EMFILE", /^This process may not open more files\. Raise the limit/],
    [
      "EWHAT",
      /unexpected error \(EWHAT: no\)\. Please report it, with the lines that \S+=debug adds\.$/,
    ],
  ] as const)
    assert.match(explain(systemError(code)), message);
});

const openStore = (dataDir: string) =>
  openNodeStore(readConfig({ DATA_DIR: dataDir }), { onBatch() {}, onCrash() {}, onFault() {} });

test("a data folder that is a file, below a file or in a system folder is refused", async (t) => {
  const file = path.join(temporaryFolder(t), "file");
  writeFileSync(file, "x");
  for (const dataDir of [file, path.join(file, "data"), "/proc/toolbooth"])
    await assert.rejects(openStore(dataDir), (error: Error) => {
      assert.ok(error instanceof DataFolderError, String(error));
      assert.ok(error.message.includes(dataDir), error.message);
      assert.match(error.message, /Set DATA_DIR to a|set DATA_DIR to another folder/);
      return true;
    });
});

const withMigration = (values: string) => (file: string) => {
  const database = new DatabaseSync(file);
  database.exec(`${SCHEMA_MIGRATION_TABLE}; INSERT INTO schema_migration VALUES (${values})`);
  database.close();
};
const NOT_OURS = /is damaged or not a Toolbooth database/;
const UNFIT_DATABASES: [what: string, make: (file: string) => void, message: RegExp][] = [
  [
    "is another file",
    (file) => writeFileSync(file, "this is not a database, however long it is ".repeat(100)),
    NOT_OURS,
  ],
  [
    "is damaged",
    (file) =>
      writeFileSync(
        file,
        Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(5_000, 0xaa)]),
      ),
    NOT_OURS,
  ],
  ["is of a newer version", withMigration("9999, 'later', '', 9999, 0"), /schema version 9999/],
  [
    "has another migration",
    withMigration("1, 'initial', 'other', 1, 0"),
    /Migration 1 \(initial\) is not the one that ran .+ checksums differ/,
  ],
];
for (const [what, make, message] of UNFIT_DATABASES) {
  test(`a database that ${what} is refused and stays as it is`, async (t) => {
    const dataDir = temporaryFolder(t);
    const file = databaseFile(dataDir);
    make(file);
    // Write-ahead mode changes the header.
    const content = () => readFileSync(file).subarray(100);
    const before = content();
    await assert.rejects(openStore(dataDir), (error: Error) => {
      assert.ok(error instanceof DataFolderError, String(error));
      assert.ok(error.message.includes(file), error.message);
      assert.match(error.message, message);
      return true;
    });
    assert.ok(content().equals(before));
    assert.deepEqual(readdirSync(dataDir).sort(), [
      "server.json",
      "server.lock",
      path.basename(file),
    ]);
  });
}

test("a folder in place of the database is refused", async (t) => {
  const dataDir = temporaryFolder(t);
  mkdirSync(databaseFile(dataDir));
  await assert.rejects(openStore(dataDir), /toolbooth\.sqlite is not writable/);
});

test("a database whose schema is damaged is explained by the server", async (t) => {
  const dataDir = path.join(temporaryFolder(t), "data");
  await openStore(dataDir).then((store) => store.close());
  const database = new DatabaseSync(databaseFile(dataDir));
  database.exec("ALTER TABLE debit_journal RENAME COLUMN tool TO tolo");
  database.close();
  await assert.rejects(
    openStore(dataDir),
    (error) =>
      error instanceof DataFolderError && /its schema cannot be used \(/.test(error.message),
  );
});

test("the limit on open files bounds the connections, and a start with too few is refused", () => {
  const said: string[] = [];
  const say = (sentence: string) => said.push(sentence);
  assert.equal(connectionsWithin(null, say), CONNECTIONS_MAX);
  assert.equal(connectionsWithin(CONNECTIONS_MAX + 200, say), CONNECTIONS_MAX);
  assert.deepEqual(said, []);
  assert.equal(connectionsWithin(1_024, say), 824);
  assert.match(
    said.join(),
    /is 1024, so the server accepts only 824 .* needs 10200 .*LimitNOFILE=/,
  );
  assert.throws(
    () => connectionsWithin(24, say),
    /^TooFewOpenFiles|^Error: The limit on open files is 24, but the server needs at least 512, and 10200/,
  );
  const limit = readOpenFilesLimit();
  assert.ok(limit === null || limit > 0);
});

test("the command line explains where it may not write, before it asks a server", async (t) => {
  const folder = temporaryFolder(t);
  const cli = commandLine(path.join(folder, "data"));
  mkdirSync(path.join(folder, "taken"));
  writeFileSync(path.join(folder, "file"), "");
  const cases: [line: string, message: RegExp][] = [
    [`backup ${folder}/no/where`, /The folder .* does not exist/],
    [`backup ${folder}/file/below`, /is not a folder/],
    [`export ${folder}/taken`, /is not a file/],
  ];
  for (const [line, message] of cases) assert.match(await cli.refused(line), message, line);
});
