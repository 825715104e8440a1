import type { BackupArgs, RestoreArgs } from "./backup.ts";
import { type Command, fileCommand, flag, optionalPositional, positional } from "./command.ts";
import { USE_POSTGRES_TOOLS } from "./help.ts";
import type { ExportArgs, ImportArgs } from "./transfer.ts";

const USE_LOCALLY =
  "Run it on the machine that has the service's DATA_DIR, without --remote. Over the network, use export and import. PostgreSQL and Cloudflare have their own backups: see docs/backup.md.";

/**
 * `backup` and `restore` copy the SQLite database of a data folder. `export` and `import` move a ledger between stores and
 * machines as JSON lines. What they do is imported when it runs, because it loads the stores, which other commands do not need.
 */
export const DATA_COMMANDS: readonly Command[] = [
  fileCommand({
    name: "backup",
    summary: "Copy the data folder's database to a file; the server can keep running",
    details: [
      "The command makes a consistent snapshot and checks it. The backup contains hashes of keys and email addresses, so keep it safe. --force replaces an existing file.",
      "The secret is included only with --with-secret. Without it, keep DATA_DIR/secret or the value of SECRET in another place: a restored service needs it to accept its keys.",
      `With DATABASE_URL: ${USE_POSTGRES_TOOLS}`,
    ],
    example: "backup /backups/toolbooth.sqlite",
    parameters: { file: positional("<file>"), "with-secret": flag, force: flag },
    localOnly: `backup copies a data folder. ${USE_LOCALLY}`,
    run: async (invocation, args: BackupArgs) =>
      (await import("./backup.ts")).backup(invocation, args),
  }),
  fileCommand({
    name: "restore",
    summary: "Replace the data folder's database with a backup; stop the server first",
    details: [
      "The command checks the backup before it changes anything, says whether keys need a secret that is missing, and keeps the current database under a dated name in the same folder. Use --force only if the current database is so damaged that the command cannot detect a running server. First make sure that the server is stopped.",
      `With DATABASE_URL: ${USE_POSTGRES_TOOLS}`,
    ],
    example: "restore /backups/toolbooth.sqlite",
    parameters: { file: positional("<file>"), force: flag },
    localOnly: `restore replaces a data folder. ${USE_LOCALLY}`,
    run: async (invocation, args: RestoreArgs) =>
      (await import("./backup.ts")).restore(invocation, args),
  }),
  fileCommand({
    name: "export",
    summary: "Export the ledger as JSON lines, to a file or to standard output",
    details: [
      "The export is one consistent snapshot, and the server can keep running. The same ledger always gives the same lines. The secret is included only with --with-secret. --json requires a file.",
      "With --remote at the edge, each account is a separate snapshot.",
    ],
    example: "export ledger.jsonl",
    parameters: { file: optionalPositional("[file]"), "with-secret": flag, force: flag },
    run: async (invocation, args: ExportArgs) =>
      (await import("./transfer.ts")).exportLines(invocation, args),
  }),
  fileCommand({
    name: "import",
    summary: "Import lines that export wrote, into an empty ledger",
    details: [
      "The import is all or nothing: it checks the lines and audits the ledger before it commits.",
      "With --remote each account is imported separately, and opens when all its records have arrived and reconcile. If an import is interrupted, run it again with the same lines.",
    ],
    example: "import ledger.jsonl",
    parameters: { file: optionalPositional("[file]") },
    run: async (invocation, args: ImportArgs) =>
      (await import("./transfer.ts")).importLines(invocation, args),
  }),
];
