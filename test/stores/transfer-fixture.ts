import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Directory } from "#accounts/directory.ts";
import type { PurchaseStore } from "#billing/purchase-store.ts";
import type { Ledger } from "#ledger/port.ts";
import type { AccountImports } from "#ledger/transfer/account-moves.ts";
import { beginLines } from "#ledger/transfer/lines.ts";
import type { TransferRecord } from "#ledger/transfer/records.ts";
import type { OperatorContext } from "#operator/context.ts";
import { importRecords } from "#operator/data.ts";
import { exportLedger } from "#stores/sql/export-records.ts";
import { createPurchaseStore } from "#stores/sql/purchases.ts";
import type { SqlDatabase } from "#stores/sql/sql-database.ts";
import { createSqliteDatabase } from "#stores/sqlite/database.ts";
import { type NodeSqlite, openNodeSqlite } from "#stores/sqlite/node.ts";
import {
  accountId,
  allEntries,
  assertTotals,
  createFixture,
  DAY,
  type Fixture,
  HOUR,
  idempotency,
  keyId,
  keySha256,
  maintainFully,
  START,
  sortedUsage,
  throughJson,
} from "../contract/ledger/fixture.ts";
import { openSqliteDirect } from "../support/sqlite-direct.ts";

export const NOW = START + 40 * DAY;
export const HASH = "c".repeat(64);

export function openEmpty(t: TestContext, file = ":memory:") {
  const driver = openNodeSqlite(file);
  t.after(() => driver.close());
  return driver;
}

export const ACCOUNTS = ["Ada", "Bob", "Cid", "Dan", "Eve", "Fay"].map(accountId);

export async function fill(driver: NodeSqlite): Promise<void> {
  const purchases = createPurchaseStore(createSqliteDatabase(driver));
  await fillLedger({ ...openSqliteDirect(driver), purchases });
}

/** A ledger with one of everything that a ledger can hold. */
export async function fillLedger({ ledger, directory, purchases }: Filled): Promise<void> {
  const fixture = createFixture({ ledger });
  const [ada, bob, cid] = [
    await fixture.account("Ada", { freeCall: "open" }),
    await fixture.account("Bob", { credits: 5 }),
    await fixture.account("Cid", { credits: 9 }),
  ];
  for (const [email, account] of [
    ["ada@b.c", ada],
    ["bob@b.c", bob],
    ["cid@b.c", cid],
  ] as const) {
    await directory.register({ email, account, createdAt: START });
    // Two of the three are one person.
    await directory.claimStarter({
      ...{
        account,
        email,
        emailHashes: [email === "bob@b.c" ? "b".repeat(64) : HASH],
        network: "one",
      },
      ...{ isDisposable: false, budgets: { perNetwork: 0, perDay: 0 }, now: START },
    });
  }
  await fixture.grant(ada, "b", 20, { kind: "pack", expiresAt: START + 9 * DAY });
  await fixture.grant(ada, "a", 20, { kind: "starter", expiresAt: START + 9 * DAY });
  await fixture.grant(ada, "c", 50);
  await fixture.createKey(ada, "other", START, {
    ...{ expiresAt: START + 99 * DAY, tools: ["hash", "uuid"] },
    budgets: { total: 1_000, month: null, day: 500 },
    ...{ networks: null, rate: 9 },
  });
  await ledger.rotateKey({
    ...{ account: ada, id: keyId(ada, "other"), sha256: keySha256(ada, "rotated"), start: "tb_" },
    ...{ previousUntil: START + 30 * DAY, now: START },
  });
  const fay = await fillPriced(fixture);
  // What was given back before it came is no record.
  await ledger.reverse({ account: ada, callId: "call_0", at: START + 20 * DAY, now: START });
  // The folded part, with reversals; then the part that is kept, with reversals of its own.
  for (const day of [0, 10]) {
    for (let call = 0; call < 30; call += 1) {
      const order = fixture.debitOrder(ada, {
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
      await maintainFully(ledger, { now, rollUpBefore: now, rowsMax: 7 });
    }
  }
  await callPriced(fixture, fay, START + 10 * DAY);
  await ledger.revokeKey({ account: ada, id: keyId(ada, "other"), now: START + DAY });
  await ledger.changeAccount({ account: bob, now: START, state: "suspended" });
  await ledger.changeAccount({ account: cid, now: START, state: "closed" });
  await directory.forget({ account: cid, emailHash: HASH, now: START });
  await fillBought(fixture);
  await fillPurchases(purchases, ada, cid);
}

/** Calls of several prices, some of which several grants paid; they are there rolled up and one by one. */
async function fillPriced(fixture: Fixture): Promise<string> {
  const fay = await fixture.account("Fay", { freeCall: "open" });
  for (const [id, amount] of [
    ["small", 3],
    ["middle", 38],
    ["large", 50],
    ["last", 500],
  ] as const)
    await fixture.grant(fay, id, amount);
  await callPriced(fixture, fay, START);
  return fay;
}

/** The second time, where nothing is free and the next two grants are reached. */
async function callPriced({ ledger, debitOrder }: Fixture, account: string, at: number) {
  for (const [index, credits] of [0, 1, 20, 23, 30, 7].entries()) {
    const order = debitOrder(account, { now: at + index, credits });
    assert.equal((await ledger.debit(order)).outcome, "debited");
    if (credits !== 23 && credits !== 7) continue;
    const { callId, now } = order;
    await ledger.reverse({ account, callId, at: now, now: now + 100 });
  }
}

/** On the lifetime plan, with a pack of which a part was clawed back; and after it, with a balance that is told to be low. */
async function fillBought({ ledger, ...fixture }: Fixture): Promise<void> {
  const [dan, eve] = [await fixture.account("Dan"), await fixture.account("Eve")];
  for (const account of [dan, eve]) {
    await fixture.grant(account, "pack", 30, { kind: "pack", expiresAt: NOW + 10 * DAY });
    await fixture.grant(account, "plan", 5, { kind: "lifetime", now: START + 1 });
    await fixture.clawback(account, "pack", 10, START + 2, START + 2);
  }
  await fixture.clawback(eve, "plan", 5, START + 3, START + 3);
  await ledger.changeAccount({ account: eve, lowBalance: 20, now: START + 3 });
  await ledger.changeAccount({ account: dan, lowBalance: 7, now: START + 3 });
  for (const [tool, credits] of [
    ["hash", 0],
    ["qr-code", 7],
  ] as const)
    await ledger.changeAccount({ account: dan, price: { tool, credits }, now: START + 3 });
  await fixture.debit(eve, { now: START + 4 });
}

/** One with everything; one that was begun and no more, at the same time; and one that was paid back, of an account that is nowhere else. */
async function fillPurchases(purchases: PurchaseStore, ada: string, cid: string): Promise<void> {
  const begun = {
    ...{ id: "pur_b", account: cid, createdAt: START, price: 500, currency: "eur" },
    offer: { id: "small", kind: "pack", name: "Small", credits: 20, months: 12 } as const,
    ...({ session: null, payment: null, status: "open", paidAt: null, paid: 0 } as const),
    ...({ refunded: 0, refundedAt: null, dispute: "none" } as const),
    ...{ payUrl: null, receiptUrl: null, invoiceUrl: null },
    ...{ grant: null, voided: 0, spent: 0, trouble: null, updatedAt: START },
  };
  const paid = {
    ...{ ...begun, id: "pur_a", account: ada, session: "cs_1", payment: "pi_1" },
    ...({ status: "paid", paidAt: START + 1, paid: 595, refunded: 119 } as const),
    ...({ refundedAt: START + DAY, dispute: "won", receiptUrl: "https://pay.test/r" } as const),
    ...{ payUrl: "https://pay.test/p", invoiceUrl: "https://pay.test/i" },
    ...{ grant: "b", voided: 3, spent: 1, updatedAt: START + 2 * DAY },
  };
  const offer = {
    id: "lifetime",
    kind: "lifetime",
    name: "Ever",
    credits: 5,
    months: null,
  } as const;
  const trouble = "no_account";
  const lost = {
    ...paid,
    id: "pur_0",
    account: "acc_Lost00000000",
    createdAt: START + 1,
    refunded: paid.paid,
    trouble,
  } as const;
  for (const purchase of [begun, paid, { ...lost, offer, grant: null }])
    await purchases.add(purchase);
}

/** In everything that can be asked of them. */
export async function assertSame(imported: Stored, from: Stored, accounts = ACCOUNTS) {
  const [one, other] = [imported, from].map(({ ledger }) => throughJson(ledger)) as [
    Ledger,
    Ledger,
  ];
  for (const now of [START, START + 10 * DAY, NOW])
    assert.deepEqual(await one.audit({ now }), await other.audit({ now }));
  for (const account of accounts) {
    const order = { account, now: NOW };
    assert.deepEqual(await one.findAccount(order), await other.findAccount(order));
    assert.deepEqual(await one.credits(order), await other.credits(order));
    const usage = { account, from: 0, to: NOW };
    assert.deepEqual(await one.usage(usage), await other.usage(usage));
    assert.deepEqual(await one.listKeys(order), await other.listKeys(order));
    const entries = await allEntries(one, account, NOW);
    assert.ok(entries.length > 0);
    assert.deepEqual(entries, await allEntries(other, account, NOW));
  }
}

/** A filled ledger goes on: spending, replaying, reversing, folding. Everything that there is to be seen of it. */
export async function goOn(stored: Stored): Promise<unknown[]> {
  const fixture = createFixture(stored);
  const [account = "", bob = "", cid = ""] = ACCOUNTS;
  const now = START + 10 * DAY + 8 * HOUR;
  const kept = { now, tool: "uuid", callId: "n1", idempotency: idempotency("10-25") };
  const seen: unknown[] = [
    await fixture.debit(account, kept),
    await fixture.debit(account, { now, callId: "n2" }),
    await fixture.debit(account, { now, callId: "n3", key: "other" }),
    await fixture.debit(bob, { now, callId: "n4" }),
    await fixture.debit(cid, { now, callId: "n5" }),
    await fixture.ledger.reverse({ account, callId: "n2", at: now, now }),
    await fixture.remaining(account, now),
  ];
  await maintainFully(fixture.ledger, { now: NOW, rollUpBefore: NOW, rowsMax: 9 });
  const usage = await sortedUsage(fixture.ledger, ACCOUNTS);
  return [...seen, await assertTotals(fixture.ledger, NOW), usage];
}

export type Stored = { ledger: Ledger; directory: Directory };
type Filled = Stored & { purchases: PurchaseStore };

/** All records of a database, in the order of an export. */
async function recordsIn(db: SqlDatabase): Promise<TransferRecord[]> {
  const records: TransferRecord[] = [];
  for await (const page of exportLedger(db, "sqlite", async () => {})) records.push(...page);
  return records;
}

export const recordsOf = (driver: NodeSqlite) => recordsIn(createSqliteDatabase(driver));

/** The lines of an export of the database, with line feeds. */
export async function exportedLines(driver: NodeSqlite, more: readonly TransferRecord[] = []) {
  const chunks: Uint8Array[] = [];
  const lines = beginLines((bytes) => void chunks.push(bytes));
  for (const record of [...(await recordsOf(driver)), ...more])
    lines.put(record.record, Buffer.from(`${JSON.stringify(record)}\n`));
  lines.end();
  return Buffer.concat(chunks);
}

export const accountOf = (record: TransferRecord): string | null => {
  if (record.record === "account") return record.id;
  const isOther = ["address", "closedAddress", "starterClaim", "purchase", "secret"];
  return isOther.includes(record.record) ? null : (record as { account: string }).account;
};

/** The records of a ledger with one of everything, from SQLite. */
export async function filledRecords(): Promise<readonly TransferRecord[]> {
  const driver = openNodeSqlite(":memory:");
  await fill(driver);
  const records = await recordsOf(driver);
  driver.close();
  return records;
}

/** The same by account, in the order in which they are written. */
export async function filledAccounts(): Promise<(account: string) => TransferRecord[]> {
  const byAccount = Map.groupBy(await filledRecords(), accountOf);
  return (account) => byAccount.get(account) ?? [];
}

/** Where records are imported. */
export type Into = {
  imports: AccountImports;
  ledger: Pick<Ledger, "findAccount">;
  directory: Directory;
  purchases: PurchaseStore;
};

/** Imports records as an operator's requests do, in pages of `step`. */
export async function importAll(
  { imports, ledger, directory, purchases }: Into,
  records: readonly TransferRecord[],
  now = NOW,
  step = 500,
): Promise<void> {
  const index = { record: async () => ({ recorded: true as const }) };
  const accountDeps = { secrets: [] };
  const context = { ...{ imports, ledger, directory, purchases, index, accountDeps } };
  const send = (
    account: Parameters<typeof importRecords.run>[1]["account"],
    page: TransferRecord[],
  ) =>
    importRecords.run(
      context as unknown as OperatorContext,
      { account, records: page },
      { now } as never,
      null,
    );
  for (const [id, own] of Map.groupBy(records, accountOf)) {
    if (id === null) continue;
    for (let at = 0; at < own.length; at += step) {
      const finish = at + step >= own.length;
      await send({ id, createdAt: 1, begin: at === 0, finish }, own.slice(at, at + step));
    }
  }
  await send(
    null,
    records.filter((record) => accountOf(record) === null),
  );
}
