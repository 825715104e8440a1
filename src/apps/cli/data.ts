import * as z from "zod";
import { text } from "#operator/members.ts";
import { defineCommand } from "./command.ts";
import { BACKUP, EXPORT } from "./downloads.ts";
import { IMPORT } from "./import.ts";

/** Commands on all the data. `restore` is the only one that writes to a data folder: it works while no server runs. */
export const DATA_COMMANDS = [
  BACKUP,
  defineCommand({
    name: "restore",
    summary: "Replace the data folder's database with a backup; stop the server first",
    details: [
      "The command checks the backup before it changes anything, says whether keys need a secret that is missing, and keeps the current database under a dated name in the same folder. Use --force only if the current database is so damaged that the command cannot detect a running server. First make sure that the server is stopped.",
      "With DATABASE_URL, and on Cloudflare, the database has its own backups: see docs/backup.md.",
    ],
    example: "restore /backups/toolbooth.sqlite",
    positionals: ["file"],
    input: z.strictObject({ file: text("file"), force: z.boolean().optional() }),
    isOnFiles: () => true,
    // Imported here because it loads SQLite.
    run: async (invocation, input) => (await import("./restore.ts")).restore(invocation, input),
  }),
  EXPORT,
  IMPORT,
];
