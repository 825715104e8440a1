import { closeSync, existsSync, openSync } from "node:fs";
import type { RecordCounts } from "#ledger/transfer/records.ts";
import type { NodeSqlite } from "#stores/sqlite/node.ts";
import { openDamaged } from "#stores/sqlite/node-damaged-file.ts";
import { type DamagedAccount, type Salvaged, salvage } from "#stores/sqlite/node-salvage.ts";
import { databaseFile } from "../node/data-folder.ts";
import { CommandError, type Invocation, type Outcome } from "./command.ts";
import {
  checkOutputFile,
  commitFile,
  createPartialFile,
  createSink,
  dropPartialFile,
  withTemporaryDatabase,
} from "./files.ts";
import { noData } from "./open-sqlite.ts";
import { counted, integer } from "./text.ts";

/**
 * `recover`, and what `audit` says of a damaged file: both copy the whole accounts into a temporary database, and know then what is
 * not whole.
 */
export type RecoverArgs = { file: string; from: string | undefined; force: boolean };

export async function recover(
  invocation: Invocation,
  { file: target, from, force }: RecoverArgs,
): Promise<Outcome> {
  const { dataDir, databaseUrl } = invocation.config;
  if (databaseUrl !== null && from === undefined)
    throw new CommandError(
      "recover reads a data folder or a backup of one. PostgreSQL has its own tools: restore a dump or a base backup (docs/fleet.md).",
    );
  const source = from ?? databaseFile(dataDir);
  if (!existsSync(source))
    throw new CommandError(from === undefined ? noData(dataDir) : `${source} does not exist.`);
  checkOutputFile(target, force, invocation.config);
  const { exportSqlite } = await import("#stores/sqlite/transfer.ts");
  const partial = createPartialFile(target);
  try {
    const result = await surveyFile(source, invocation.now, (driver) => {
      const fd = openSync(partial, "w");
      try {
        const sink = createSink(fd);
        const counts = exportSqlite(driver, { secret: null }, sink.write);
        sink.end();
        return counts;
      } finally {
        closeSync(fd);
      }
    });
    if (result === null)
      throw new CommandError(
        `Nothing in ${source} can be read: it is not a Toolbooth database, or all of it is damaged. Restore a backup.`,
      );
    checkOutputFile(target, force, invocation.config);
    commitFile(partial, target);
    return present(source, target, result.survey, result.result);
  } finally {
    dropPartialFile(partial);
  }
}

/** Reads what is whole of a file, which it does not change. Returns null if nothing can be read. `use` gets the whole accounts. */
export async function surveyFile<Result>(
  file: string,
  now: number,
  use: (whole: NodeSqlite) => Result,
): Promise<{ survey: Salvaged; result: Result } | null> {
  return withTemporaryDatabase(async (driver, folder) => {
    const damaged = await openDamaged(file, folder);
    if (damaged === null) return null;
    try {
      return { survey: salvage(damaged, driver, now), result: use(driver) };
    } finally {
      damaged.pages.close();
    }
  });
}

function present(source: string, target: string, survey: Salvaged, counts: RecordCounts): Outcome {
  const { whole, damaged } = survey;
  const ok = damaged.length === 0;
  return {
    json: { ok, file: target, source, counts, ...survey },
    text:
      `Recovered ${counted(whole, "whole account")} from ${source}. The lines are in ${target}; import them into a new data folder.\n` +
      `${surveyText(survey)}` +
      "Users, sign-ins, notification choices and webhook endpoints are not in the lines. Users sign up again with their address and get their account.\nThe secret is not included: copy DATA_DIR/secret to the new data folder, or set SECRET.\n",
    exitCode: whole === 0 ? 1 : 0,
  };
}

/** Lists what is damaged, in sentences. */
export function surveyText({ whole, damaged, tables }: Salvaged): string {
  const lines = tables.map(({ table, rows, damagedRows, gaps }) => {
    const broken = [
      ...(damagedRows > 0 ? [`${integer(damagedRows)} damaged`] : []),
      ...(gaps > 0 ? [`${counted(gaps, "gap")} that cannot be read`] : []),
    ];
    return `- Table ${table}: ${counted(rows, "row")} read, ${broken.join(", ")}\n`;
  });
  if (tables.some(({ table }) => table === "idempotency"))
    lines.push(
      "- The damaged rows of idempotency are left out. A call that is repeated with such a key within a day is charged again.\n",
    );
  const accounts = damaged.map((each) => `- ${accountText(each)}\n`);
  const damage =
    lines.length === 0 ? "No damaged rows were found.\n" : `Damage:\n${lines.join("")}`;
  if (damaged.length === 0) return `${damage}Accounts that are whole: all ${integer(whole)}.\n`;
  return `${damage}${counted(damaged.length, "account")} not whole, ${integer(whole)} whole. Settle these by hand:\n${accounts.join("")}`;
}

function accountText({ account, email, balance, problems }: DamagedAccount): string {
  const name = account ?? "an account whose id cannot be read";
  return `${name} (${email ?? "email unknown"}), last known balance ${balance === null ? "unknown" : integer(balance)}: ${problems.slice(0, 3).join("; ")}`;
}
