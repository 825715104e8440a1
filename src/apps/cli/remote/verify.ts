import { addTotals, isSameTotals, zeroTotals } from "#ledger/totals.ts";
import type { OperatorClient } from "#operator/operations.ts";
import { openSqliteDirect } from "#stores/sqlite/direct.ts";
import type { NodeSqlite } from "#stores/sqlite/node.ts";
import { pagesOf } from "#stores/sqlite/transfer-rows.ts";
import { type Call, ProblemDetails } from "../command.ts";
import { eachAtOnce } from "../parallel.ts";
import { createProgress } from "../progress.ts";
import { counted } from "../text.ts";

/**
 * After an import: every account there reconciles and has the balance that the lines say, and the sums are theirs.
 * An account that has come over is open at once, so one whose key is in use may have been called since; then its own
 * books say so, and still reconcile.
 */
export async function verifyImport(
  call: Call,
  client: OperatorClient,
  driver: NodeSqlite,
): Promise<void> {
  const { now } = call;
  const { ledger } = openSqliteDirect(driver);
  const local = await ledger.audit({ now });
  const sums = zeroTotals();
  const changed: string[] = [];
  const faults: string[] = [];
  const progress = createProgress(call, "compared");
  const pairs = eachAtOnce(pagesOf(driver, "account"), async ({ id: account }) => ({
    account,
    there: await client.audit({ account, now }),
    balance: (await ledger.findAccount({ account, now }))?.balance,
  }));
  for await (const { account, there, balance } of pairs) {
    progress.step();
    if (there === null) {
      faults.push(`${account} is not there`);
      continue;
    }
    faults.push(...there.faults);
    if (there.totals === null) continue;
    addTotals(sums, there.totals);
    if (there.totals.remaining !== balance) changed.push(account);
  }
  if (faults.length === 0 && isSameTotals(sums, local.totals) && changed.length === 0) return;
  // Calls take credits and nothing else does it while an import runs: what was granted is what it was.
  const onlyCalled = faults.length === 0 && sums.granted === local.totals.granted;
  if (!onlyCalled) {
    throw new ProblemDetails(
      `The records came over, but the books there are not those of the lines (${[...faults, ...changed].slice(0, 3).join("; ") || "the sums differ"}). Run audit, and do not use the deployment before it is clear why.`,
    );
  }
  call.note(
    `${counted(changed.length, "account")} ${changed.length === 1 ? "has" : "have"} been used since coming over (${changed.slice(0, 3).join(", ")}): the balance is another one, and the books reconcile.`,
  );
}
