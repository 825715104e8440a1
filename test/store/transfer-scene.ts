import type { TestContext } from "node:test";
import type { Directory } from "#accounts/directory.ts";
import type { Ledger } from "#credits/ledger.ts";
import { openSqliteDirect } from "#store/sqlite-direct.ts";
import { type NodeSqlite, openNodeSqlite } from "#store/sqlite-node.ts";
import { keepSecret } from "#store/sqlite-settings.ts";
import { exportSqlite } from "#store/sqlite-transfer.ts";
import {
  accountId,
  createScene,
  DAY,
  HOUR,
  idempotency,
  keyId,
  maintainFully,
  START,
} from "../contract/ledger/scene.ts";

export const NOW = START + 40 * DAY;
export const HASH = "c".repeat(64);

export function openEmpty(t: TestContext, file = ":memory:") {
  const driver = openNodeSqlite(file);
  t.after(() => driver.close());
  return driver;
}

export const ACCOUNTS = ["Ada", "Bob", "Cid"].map(accountId);

export async function fill(driver: NodeSqlite): Promise<void> {
  await fillLedger(openSqliteDirect(driver));
  keepSecret(driver, () => SECRET);
}

export const SECRET = "the secret of this service";

/** A ledger with one of everything that a ledger can hold. */
export async function fillLedger({ ledger, directory }: Stored): Promise<void> {
  const scene = createScene({ ledger });
  const [ada, bob, cid] = [
    await scene.account("Ada", { freeCall: "open" }),
    await scene.account("Bob", { credits: 5 }),
    await scene.account("Cid", { credits: 9 }),
  ];
  for (const [email, account] of [
    ["ada@b.c", ada],
    ["bob@b.c", bob],
    ["cid@b.c", cid],
  ] as const) {
    await directory.register({ email, account, createdAt: START });
  }
  await scene.grant(ada, "b", 20, { kind: "pack", expiresAt: START + 9 * DAY });
  await scene.grant(ada, "a", 20, { kind: "starter", expiresAt: START + 9 * DAY });
  await scene.grant(ada, "c", 50);
  await scene.createKey(ada, "other");
  // What was given back before it came is no record.
  await ledger.reverse({ account: ada, callId: "call_0", at: START + 20 * DAY, now: START });
  // The folded part, with reversals; then the part that is kept, with reversals of its own.
  for (const day of [0, 10]) {
    for (let call = 0; call < 30; call += 1) {
      const order = scene.debitOrder(ada, {
        now: START + day * DAY + call * (HOUR / 4),
        tool: call % 2 === 0 ? "hash" : "uuid",
        key: call % 3 === 0 ? "other" : "main",
        idempotency: call % 5 === 0 ? idempotency(`${day}-${call}`) : null,
      });
      await ledger.debit(order);
      const { callId, now: at } = order;
      if (call % 7 === 3) await ledger.reverse({ account: ada, callId, at, now: at + 1 });
    }
    if (day === 0) {
      const now = START + DAY / 2;
      await maintainFully(ledger, { now, foldBefore: now, rowsMax: 7 });
    }
  }
  await ledger.revokeKey({ account: ada, id: keyId(ada, "other"), now: START + DAY });
  await ledger.suspendAccount({ account: bob, now: START });
  await ledger.closeAccount({ account: cid, now: START });
  await directory.forget({ account: cid, emailHash: HASH, now: START });
}

export type Stored = { ledger: Ledger; directory: Directory };

export function linesOf(driver: NodeSqlite, withSecret = false): string[] {
  const chunks: Uint8Array[] = [];
  exportSqlite(driver, { withSecret }, (bytes) => chunks.push(bytes));
  return Buffer.concat(chunks).toString().trimEnd().split("\n");
}

export const bytesOf = (lines: readonly string[]) =>
  lines.map((line) => new TextEncoder().encode(line));
