import assert from "node:assert/strict";
import { test } from "node:test";
import { openFolderService } from "./folder-server.ts";

const day = (text: string) => Date.parse(`${text}Z`);

test("report sums calls and credits by day, tool and account, including both dates", async () => {
  const cli = await openFolderService();
  const { id } = await cli.json("account create ada@b.co");
  const key = await cli.json("key create ada@b.co --label l");
  const { ledger } = cli;
  const [{ sha256 = "" } = {}] = await ledger.listKeys({ account: id });
  const grantedAt = day("2026-01-01T00:00:00.000");
  await ledger.grant({
    account: id,
    id: "g",
    kind: "pack",
    amount: 50,
    expiresAt: null,
    now: grantedAt,
  });
  const calls: [at: string, tool: string][] = [
    ["2025-12-31T23:59:59.999", "hash"], // the free first call, a day too early
    ["2026-01-01T00:00:00.000", "hash"],
    ["2026-01-01T12:00:00.000", "uuid"],
    ["2026-01-31T23:59:59.999", "hash"],
    ["2026-01-31T23:00:00.000", "hash"], // reversed below
    ["2026-02-01T00:00:00.000", "hash"],
  ];
  for (const [i, [at, tool]] of calls.entries()) {
    const order = {
      account: id,
      keySha256: sha256,
      callId: `call_${i}`,
      tool,
      now: day(at),
      credits: 1,
      freeCallCredits: 1,
      idempotency: null,
    };
    assert.equal((await ledger.debit(order)).outcome, "debited");
  }
  await ledger.reverse({
    account: id,
    callId: "call_4",
    at: day("2026-01-31T23:00:00.000"),
    now: day("2026-01-31T23:00:01.000"),
  });

  const report = await cli.json("report --from 2026-01-01 --to 2026-01-31");
  assert.deepEqual([report.calls, report.credits, report.granted], [3, 3, 50]);
  assert.deepEqual(report.days, [
    { day: "2026-01-01", tool: "hash", calls: 1, credits: 1 },
    { day: "2026-01-01", tool: "uuid", calls: 1, credits: 1 },
    { day: "2026-01-31", tool: "hash", calls: 1, credits: 1 },
  ]);
  const ada = { id, email: "ada@b.co", state: "open", balance: 46, calls: 3, credits: 3 };
  assert.deepEqual(report.accounts, [ada]);
  assert.equal(report.grants[0].grantedAt, "2026-01-01T00:00:00.000Z");
  const all = await cli.json("report --from 2020-01-01 --to 2030-12-31");
  assert.deepEqual(
    [all.calls, all.credits],
    [5, 4],
    "the free call counts as a call of no credits",
  );

  await cli.json("account close ada@b.co");
  const closed = await cli.run("report --from 2026-01-01 --to 2026-01-31");
  assert.match(closed.stdout, /UTC: 3 calls, 3 credits debited, 50 granted/);
  assert.match(closed.stdout, new RegExp(`^${id} \\(closed\\) +3 +3 +0$`, "m"));
  assert.doesNotMatch(closed.stdout, new RegExp(key.key));
});

test("an open account without an address is not reported as closed", async () => {
  const cli = await openFolderService();
  const account = "acc_Imported0000";
  const now = day("2026-01-01T00:00:00.000");
  await cli.ledger.openAccount({ account, freeCall: "open", now });
  const grant = { id: "g", kind: "operator", amount: 5, expiresAt: null } as const;
  await cli.ledger.grant({ account, ...grant, now });
  const { stdout } = await cli.run("report --from 2026-01-01 --to 2026-01-01");
  assert.match(stdout, new RegExp(`^${account} +0 +0 +5$`, "m"));
  assert.match(stdout, new RegExp(`^2026-01-01 00:00 +${account} +operator +5 +never$`, "m"));
});
