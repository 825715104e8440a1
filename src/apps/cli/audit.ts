import { existsSync } from "node:fs";
import { commandLine } from "#command-line.ts";
import { isDamage } from "#stores/sqlite/faults.ts";
import { isLostCommitFault } from "#stores/sqlite/node-commit-mark.ts";
import type { Salvaged } from "#stores/sqlite/node-salvage.ts";
import { CommandError, type Invocation, type Outcome, type Session } from "./command.ts";
import { withDeployment } from "./deployment.ts";
import { counted, table } from "./text.ts";
import { type LedgerAudit, openWholeLedger } from "./totals.ts";

/** `audit`: checks the database and reconciles the ledger. Of a damaged data folder it says what is damaged and what is whole. */
export type AuditArgs = { "accept-loss": boolean };

export async function audit(
  invocation: Invocation,
  { "accept-loss": acceptLoss }: AuditArgs,
): Promise<Outcome> {
  try {
    const { ledger, damage } = await withDeployment(invocation, async (deployment) => {
      const session = { ...invocation, ...deployment };
      if (acceptLoss) await acceptLostCommits(session);
      return {
        damage: await session.client.findDamage({}),
        ledger: await (await openWholeLedger(session)).audit(),
      };
    });
    const needsSurvey = ledger.totals === null || !damage.every(isLostCommitFault);
    return present(ledger, damage, needsSurvey ? await surveyOf(invocation) : null);
  } catch (error) {
    // The data folder cannot even be opened.
    const survey = isDamage((error as Error).cause ?? error) ? await surveyOf(invocation) : null;
    if (survey === null) throw error;
    return present(UNREADABLE, [(error as Error).message], survey);
  }
}

type Survey = Salvaged & { text: string };

const UNREADABLE: LedgerAudit = { accounts: 0, totals: null, faults: [] };

/** Returns null if this is no data folder, or if nothing in it can be read. */
async function surveyOf({ config, remote, now, log }: Invocation): Promise<Survey | null> {
  if (remote !== null || config.databaseUrl !== null) return null;
  // Imported here because only damage needs it.
  const { databaseFile } = await import("../node/data-folder.ts");
  const { surveyFile, surveyText } = await import("./recover.ts");
  const file = databaseFile(config.dataDir);
  if (!existsSync(file)) return null;
  log("The database is damaged. Reading around the damage to find out which accounts are whole.");
  const found = await surveyFile(file, now, () => {});
  return found && { ...found.survey, text: surveyText(found.survey) };
}

function present(
  { accounts, totals, faults }: LedgerAudit,
  damage: readonly string[],
  survey: Survey | null,
): Outcome {
  const ok = damage.length + faults.length === 0;
  const totalsTable = totals === null ? "" : table(Object.keys(totals), [Object.values(totals)]);
  const problems = [
    ...damage.map((line) => (isLostCommitFault(line) ? line : `The database is damaged: ${line}`)),
    ...faults,
  ];
  const isWhole = faults.length === 0 && damage.every(isLostCommitFault);
  return {
    json: {
      ok,
      accounts,
      totals,
      faults,
      damage,
      ...(survey === null ? {} : { survey: { ...survey, text: undefined } }),
    },
    text: ok
      ? `The ledger of ${counted(accounts, "account")} reconciles, and the database is intact.\n\n${totalsTable}`
      : `${isWhole ? "What is in the ledger reconciles, but commits are missing" : "The ledger does not reconcile, or the database is damaged"}:\n${problems.map((line) => `- ${line}\n`).join("")}\n${totalsTable}${survey === null ? "" : `${survey.text}Restore a backup, or export the whole accounts:\n  ${commandLine("recover", "whole.jsonl")}\n`}`,
    exitCode: ok ? 0 : 1,
  };
}

async function acceptLostCommits({ acceptLoss, log, place }: Session): Promise<void> {
  if (acceptLoss === undefined)
    throw new CommandError(
      "Only a data folder notices lost commits. Use --accept-loss on the machine that has it, without --remote.",
    );
  log(
    (await acceptLoss())
      ? `The commits that ${place} lost are accepted: audit no longer reports them.`
      : `No commits are missing in ${place}.`,
  );
}
