import assert from "node:assert/strict";
import { test } from "node:test";
import { callRef } from "#ids.ts";
import type { Json } from "./fixture.ts";
import { openFolderService } from "./folder-server.ts";

test("calls show and calls reverse find a call by its id and give its credits back once", async () => {
  const cli = await openFolderService();
  const { ledger } = cli;
  const { id: account } = await cli.json("account create ada@example.org --credits 7");
  const { id: key } = await cli.json("key create ada@example.org --label test");
  const [{ sha256 = "" } = {}] = await ledger.listKeys({ account });
  const { grants } = await cli.json("credits show ada@example.org");
  const at = Date.UTC(2026, 10, 21, 10, 3, 11, 482);
  const order = {
    account,
    keySha256: sha256,
    callId: "call_a1",
    tool: "hash",
    credits: 2,
    now: at,
  };
  await ledger.debit({ ...order, freeCallCredits: 0, idempotency: null });
  const id = callRef({ account, callId: "call_a1", at });

  const shown = {
    ...{ id, account, email: "ada@example.org", at: "2026-11-21T10:03:11.482Z" },
    ...{ outcome: "charged", key, tool: "hash", credits: 2, freeCall: false },
    grants: [{ id: grants[0].id, kind: "operator", credits: 2 }],
    ...{ reversedAt: null, repeatable: false },
  };
  assert.deepEqual(await cli.json(`calls show ${id}`), shown);
  const { stdout } = await cli.run(`calls show ${id}`);
  assert.match(stdout, /^account +acc_\S+ \(ada@example\.org\)$/m);
  assert.match(stdout, /^charged +2 credits$/m);
  assert.match(stdout, /^reversed +no$/m);

  const { reversedAt, ...reversed } = await cli.json(`calls reverse ${id}`);
  assert.ok(Math.abs(Date.parse(reversedAt) - Date.now()) < 600_000);
  const { reversedAt: _, ...unchanged } = { ...shown, outcome: "reversed" };
  assert.deepEqual(reversed, { ...unchanged, reversed: true });
  const again = await cli.json(`calls reverse ${id}`);
  assert.deepEqual(again, { ...unchanged, reversedAt, reversed: false });
  assert.equal((await cli.json("credits show ada@example.org")).balance, 7);
  const { actions } = await cli.json("actions --max 2");
  assert.deepEqual(
    actions.map(({ action, subject, outcome, detail }: Json) => [action, subject, outcome, detail]),
    [
      ["calls reverse", id, "unchanged", "reversed before"],
      ["calls reverse", id, "done", "2 credits returned"],
    ],
  );

  await ledger.debit({ ...order, callId: "call_a2", freeCallCredits: 0, idempotency: null });
  const now = at + 1;
  await ledger.maintain({ now, rollUpBefore: now, rowsMax: 10, after: null });
  const other = callRef({ account, callId: "call_a2", at });
  assert.equal((await cli.json(`calls show ${other}`)).outcome, "rolled_up");
  assert.match(await cli.refused(`calls reverse ${other}`), /rolled up.*credits grant/);
  assert.match(await cli.wrong("calls show req_1"), /must be the id of a call/);
});
