import assert from "node:assert/strict";
import fs, {
  copyFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { openDatabaseFiles } from "../../../src/apps/node/database-files.ts";
import { temporaryFolder } from "../../http/server-process.ts";

/** A change of the database files behind the server's back is seen, and nothing that SQLite and its tools do to them is. */

function openFixture(t: TestContext) {
  const folder = temporaryFolder(t);
  const file = path.join(folder, "toolbooth.sqlite");
  const [one, other] = [openNodeSqlite(file), openNodeSqlite(file)];
  let rows = 0;
  function write(count: number): void {
    const insert = one.prepare("INSERT INTO setting (name, value) VALUES (?, ?)");
    one.transaction("write", () => {
      for (let i = 0; i < count; i += 1) insert.run(`row ${rows++}`, "x".repeat(1_000));
    });
  }
  const checkpoint = (how: string) => one.prepare(`PRAGMA wal_checkpoint(${how})`).all();
  write(400);
  checkpoint("PASSIVE");
  copyFileSync(file, `${file}.older`);
  write(400);
  checkpoint("PASSIVE");
  const files = openDatabaseFiles(file);
  t.after(() => {
    one.close();
    other.close();
    files.close();
  });
  write(3);
  assert.equal(files.look(), null);
  return { ...files, file, folder, write, checkpoint, one, other };
}
const EXT4 = 0xef53;

type Fixture = ReturnType<typeof openFixture>;

const OTHERS: readonly [
  name: string,
  change: (fixture: Fixture) => void,
  found: readonly [suffix: string, kind: string],
][] = [
  ["the database is deleted", ({ file }) => rmSync(file), ["", "deleted"]],
  ["the log is deleted", ({ file }) => rmSync(`${file}-wal`), ["-wal", "deleted"]],
  ["the index of the log is deleted", ({ file }) => rmSync(`${file}-shm`), ["-shm", "deleted"]],
  ["the folder is deleted", ({ folder }) => rmSync(folder, { recursive: true }), ["", "deleted"]],
  ["a copy takes its place", ({ file }) => renameSync(`${file}.older`, file), ["", "replaced"]],
  ["it is emptied", ({ file }) => truncateSync(file, 0), ["", "truncated"]],
  [
    "it is cut in half",
    ({ file }) => truncateSync(file, statSync(file).size / 2),
    ["", "truncated"],
  ],
  ["the log is emptied", ({ file }) => truncateSync(`${file}-wal`, 0), ["-wal", "truncated"]],
  [
    "an older copy is written over it",
    ({ file }) => copyFileSync(`${file}.older`, file),
    ["", "overwritten"],
  ],
  ["it is overwritten", ({ file }) => writeFileSync(file, "x".repeat(5e6)), ["", "overwritten"]],
];

for (const [name, change, [suffix, kind]] of OTHERS) {
  test(`notices that ${name}`, (t) => {
    const fixture = openFixture(t);
    change(fixture);
    const found = fixture.look();
    assert.deepEqual([found?.file, found?.kind], [`toolbooth.sqlite${suffix}`, kind]);
  });
}

test("a file that is moved away is found where it is, and no fault once it is back", (t) => {
  const { file, look, write } = openFixture(t);
  renameSync(file, `${file}.moved`);
  const found = look();
  if (process.platform === "linux")
    assert.deepEqual([found?.kind, found?.movedTo], ["moved", `${file}.moved`]);
  else assert.equal(found?.kind, "deleted");
  renameSync(`${file}.moved`, file);
  assert.equal(look(), null);
  write(10);
  assert.equal(look(), null);
});

test("a truncated file stays a fault when a checkpoint has made it as long as before", (t) => {
  const { file, look } = openFixture(t);
  const { size } = statSync(file);
  truncateSync(file, 0);
  assert.equal(look()?.kind, "truncated");
  truncateSync(file, size);
  assert.equal(look()?.kind, "truncated");
});

test("growth, checkpoints, VACUUM and other connections are no faults", (t) => {
  const { file, look, write, checkpoint, one, other } = openFixture(t);
  for (const how of ["PASSIVE", "FULL", "RESTART", "TRUNCATE"]) {
    write(300);
    assert.equal(look(), null, how);
    checkpoint(how);
    assert.equal(look(), null, how);
    other.exec(`INSERT INTO setting (name, value) VALUES ('${how}', '')`);
    assert.equal(look(), null, how);
  }
  const { size } = statSync(file);
  one.exec("DELETE FROM setting WHERE name LIKE 'row %'; VACUUM");
  assert.equal(look(), null, "VACUUM");
  checkpoint("TRUNCATE");
  assert.equal(look(), null, "VACUUM reached the file");
  assert.ok(statSync(file).size < size);
  write(300);
  checkpoint("PASSIVE");
  assert.equal(look(), null, "growth after VACUUM");
});

test("on a disk that fails nothing new is found, and what was found stays", (t) => {
  const { file, look, write } = openFixture(t);
  const fail = () => {
    for (const name of ["readSync", "fstatSync"] as const)
      t.mock.method(fs, name, () => {
        throw Object.assign(new Error("EIO: i/o error"), { code: "EIO", syscall: name });
      });
    syncBuiltinESMExports();
  };
  const mend = () => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  };
  t.after(mend);
  fail();
  assert.equal(look(), null);
  mend();
  write(10);
  assert.equal(look(), null);
  renameSync(file, `${file}.moved`);
  const found = look();
  assert.notEqual(found, null);
  fail();
  assert.deepEqual(look(), found);
});

test("blocks that the system does not count for a moment are no holes; those that stay are", (t) => {
  const { file, look, write } = openFixture(t);
  const { fstatSync } = fs;
  let lies = 0;
  t.mock.method(fs, "fstatSync", (fd: number) => {
    const stats = fstatSync(fd);
    if (lies > 0 && stats.size > 100_000) {
      lies -= 1;
      stats.blocks = 0;
    }
    return stats;
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  for (const each of [1, 2, 5]) {
    lies = each;
    assert.equal(look(), null, `missing in ${each} looks`);
    assert.equal(lies, 0, "the file was looked at again");
    write(10);
  }
  const { size } = statSync(file);
  truncateSync(file, 4096);
  truncateSync(file, size);
  // On file systems that compress or deduplicate, holes say nothing.
  if (fs.statfsSync(file).type === EXT4) assert.equal(look()?.kind, "truncated");
});
