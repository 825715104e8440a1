import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { DAY_MS, ROLL_UP_AFTER_DAYS } from "#limits.ts";
import { openNodeSqlite } from "#stores/sqlite/node.ts";
import { maintainFully } from "../../contract/ledger/fixture.ts";
import { exportedLines, fill } from "../../stores/transfer-fixture.ts";
import { openSqliteDirect } from "../../support/sqlite-direct.ts";
import { temporaryFolder } from "../cli/fixture.ts";

/** Calls that are not rolled up. */
export const DEBITS = 2_500;

export const BUSY = "acc_Busy00000000";

const folder = temporaryFolder();
let written: Promise<{ file: string; lines: string[] }> | undefined;

/** The lines of a ledger with every kind of record and an account whose calls need several pages. Written once per process. */
export function busyLedger(): Promise<{ file: string; lines: string[] }> {
  written ??= writeBusyLedger();
  return written;
}

async function writeBusyLedger() {
  const driver = openNodeSqlite(path.join(folder, "source.sqlite"));
  await fill(driver);
  const { ledger, directory } = openSqliteDirect(driver);
  const account = BUSY;
  const now = Date.now() - DAY_MS;
  await directory.register({ email: "busy@b.c", account, createdAt: now });
  await ledger.openAccount({ account, freeCall: "open", now });
  await ledger.grant({ account, id: "g", kind: "pack", amount: 9_000, expiresAt: null, now });
  const key = {
    id: "key_Busy000000000000000001",
    sha256: "b".repeat(64),
    start: "tb_Busy",
    label: "l",
  };
  await ledger.createKey({ account, ...key, now });
  driver.exec("PRAGMA synchronous = OFF");
  for (let call = 0; call < DEBITS; call += 1) {
    const order = { account, keySha256: key.sha256, callId: `call_${call}`, tool: "hash" };
    await ledger.debit({
      ...order,
      now: now + call,
      credits: 1,
      freeCallCredits: 1,
      idempotency: null,
    });
  }
  // The service that imports it has nothing to roll up.
  const rollUpBefore = now - ROLL_UP_AFTER_DAYS * DAY_MS;
  await maintainFully(ledger, { now: now + DAY_MS, rollUpBefore, rowsMax: 1_000 });
  const secret = { record: "secret" as const, value: "the secret of the source" };
  const lines = await exportedLines(driver, [secret]);
  driver.close();
  const file = path.join(folder, "ledger.jsonl");
  writeFileSync(file, lines);
  return { file, lines: recordsOf(readFileSync(file, "utf8")) };
}

/** Records without header, trailer and secret, sorted, because accounts of the same millisecond have no fixed order. */
export const recordsOf = (text: string): string[] =>
  text
    .trimEnd()
    .split("\n")
    .filter((line) => !/^\{"record":"(?:header|trailer|secret)"/.test(line))
    .sort();
