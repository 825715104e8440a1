import { fork } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { checkRowsToo } from "#stores/sqlite/backup.ts";
import { createSqliteReads } from "#stores/sqlite/database.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { findLostCommits, openCompared } from "#stores/sqlite/node-commit-mark.ts";
import { openSqliteThread } from "#stores/sqlite/thread.ts";
import { createFixture, keySha256 } from "../contract/ledger/fixture.ts";
import { createChance } from "../ledger/rules/chance.ts";

/**
 * Kills a process that makes debits, flips one bit of its write-ahead log, and opens the file: are commits missing that were
 * acknowledged, and were they noticed? `node test/trials/dropped-commits.ts [rounds] [flip|keep] [seed]`
 */
const [first = "100", mode = "flip", seed = "1"] = process.argv.slice(2);
if (first === "child") await makeDebits(mode);
else await run(Number(first), mode === "flip", Number(seed));

async function makeDebits(folder: string): Promise<void> {
  const { ledger } = await openSqliteThread({ file: path.join(folder, "ledger.sqlite") });
  const fixture = createFixture({ ledger });
  const accounts = await Promise.all(
    ["a", "b", "c", "d", "e"].map((name) => fixture.account(name, { credits: 1_000_000 })),
  );
  const acknowledged = openSync(path.join(folder, "acknowledged"), "a");
  const call = async (account: string) => {
    for (;;) {
      const order = fixture.debitOrder(account, { keySha256: keySha256(account), now: Date.now() });
      if ((await ledger.debit(order)).outcome !== "debited") throw new Error("not debited");
      writeSync(acknowledged, `${account} ${order.now} ${order.callId}\n`);
    }
  };
  for (const account of accounts) void call(account);
}

async function run(rounds: number, flips: boolean, from: number): Promise<void> {
  const chance = createChance(from);
  const sums = {
    rounds: 0,
    calls: 0,
    withLoss: 0,
    lost: 0,
    noticed: 0,
    ofThemByLog: 0,
    unnoticed: 0,
    ofThemByAudit: 0,
    falseAlarms: 0,
  };
  for (; sums.rounds < rounds; sums.rounds++) {
    const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-drops-"));
    const file = path.join(folder, "ledger.sqlite");
    const list = path.join(folder, "acknowledged");
    openNodeSqlite(file).close();
    const child = fork(import.meta.filename, ["child", folder]);
    while (!existsSync(list)) await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, 50 + chance.below(1_500)));
    child.kill("SIGKILL");
    await once(child, "exit");
    if (flips) flipOne(`${file}-wal`, chance);
    const { driver } = openCompared(file, Date.now());
    const find = driver.prepare(
      "SELECT 1 FROM debit d JOIN account a ON a.no = d.account_no WHERE a.id = ? AND at = ? AND call_id = ?",
    );
    // Empty if the process was killed before its first response.
    const calls = readFileSync(list, "utf8").split("\n").filter(Boolean);
    const lost = calls.filter((line) => {
      const [account = "", at, callId = ""] = line.split(" ");
      return find.get(account, Number(at), callId) === undefined;
    }).length;
    const found = findLostCommits(driver);
    const isNoticed = found !== null;
    if (found?.isLogDamaged) sums.ofThemByLog += 1;
    // What remains of a log that was partly copied into the file may have the last commit and lack others.
    const isAuditOk =
      lost === 0 ||
      isNoticed ||
      (checkRowsToo(driver).length === 0 &&
        createSqliteReads(driver).audit({ now: Date.now() }).ok);
    if (!isAuditOk) sums.ofThemByAudit += 1;
    driver.close();
    sums.calls += calls.length;
    sums.lost += lost;
    if (lost > 0) sums.withLoss += 1;
    if (lost > 0) sums[isNoticed ? "noticed" : "unnoticed"] += 1;
    else if (isNoticed) sums.falseAlarms += 1;
    rmSync(folder, { recursive: true });
  }
  console.log(JSON.stringify(sums));
}

function flipOne(wal: string, chance: ReturnType<typeof createChance>): void {
  const size = statSync(wal, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return;
  const bytes = readFileSync(wal);
  // One in ten in the header, which is 32 bytes, and two in the first frames, which are copied into the file first.
  const kind = chance.below(10);
  const place = chance.below(kind === 0 ? 32 : kind < 3 ? Math.min(size, 40_000) : size);
  bytes[place] = (bytes[place] as number) ^ (1 << chance.below(8));
  writeFileSync(wal, bytes);
}
