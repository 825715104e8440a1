import * as z from "zod";
import { counted } from "#counted.ts";
import { addTotals } from "#ledger/reconcile.ts";
import { auditLedger } from "#operator/audit.ts";
import { text } from "#operator/members.ts";
import { defineCommand, type Outcome } from "./command.ts";
import { table } from "./text.ts";

type Audit = z.infer<typeof auditLedger.output>;

export const AUDIT_COMMANDS = [
  defineCommand({
    name: auditLedger.name,
    summary: auditLedger.summary,
    details: [
      "For every account, granted credits must equal debited - reversed + remaining + held + expired + voided. Every paid purchase must have a grant, and every grant of a purchase must have that purchase.",
      "In a data folder, SQLite checks every page, and every row of the ledger must match its checksum.",
      "With --file the command checks a backup or the database of a stopped server, without a server.",
    ],
    example: "audit",
    input: z.strictObject({ file: text("FILE").optional() }),
    isOnFiles: ({ file }) => file !== undefined,
    async run({ connect, log, now }, { file }) {
      if (file !== undefined) {
        // Imported here because it loads SQLite.
        const { auditFile } = await import("./restore.ts");
        const audit = auditFile(file, now);
        const outcome = present(audit);
        if (!audit.damage.some((line) => line.includes("file is not a database"))) return outcome;
        return {
          ...outcome,
          text: `${file} is not a database, so it is not a backup, or its beginning is damaged. Choose a file that backup wrote.\n`,
        };
      }
      const client = connect();
      const audit = await client.send(auditLedger, {});
      while (audit.next !== null) {
        const page: Audit = await client.send(auditLedger, { after: audit.next });
        audit.accounts += page.accounts;
        if (audit.totals !== null && page.totals !== null) addTotals(audit.totals, page.totals);
        audit.faults.push(...page.faults);
        audit.next = page.next;
        log(`${counted(audit.accounts, "account")} audited so far …`);
      }
      return present(audit);
    },
  }),
];

function present({ totals, faults, damage, accounts }: Omit<Audit, "ok" | "next">): Outcome {
  const problems = [...damage, ...faults];
  const ok = problems.length === 0;
  const wrong = damage.length > 0 ? "The database is damaged" : "The ledger does not reconcile";
  const found = ok
    ? `The ledger of ${counted(accounts, "account")} reconciles, and the database is intact.\n`
    : `${wrong}:\n${problems.map((line) => `- ${line}\n`).join("")}`;
  const sums = totals === null ? "" : table(Object.keys(totals), [Object.values(totals)]);
  return {
    json: { ok, accounts, totals, faults, damage },
    text: `${found}\n${sums}`,
    exitCode: ok ? 0 : 1,
  };
}
