import { ACCOUNT_COMMANDS } from "./accounts.ts";
import { ACT_COMMANDS } from "./acts.ts";
import type { Command } from "./command.ts";
import { CREDITS_COMMANDS } from "./credits.ts";
import { DATA_COMMANDS } from "./data.ts";
import { JOB_COMMANDS } from "./jobs.ts";
import { KEY_COMMANDS } from "./keys.ts";
import { PAYMENT_COMMANDS } from "./payments.ts";
import { REPORT_COMMANDS } from "./report.ts";
import { TRANSFER_COMMANDS } from "./transfer.ts";

/** Every command, in the order in which help shows them. */
export const COMMANDS: readonly Command[] = [
  ...ACCOUNT_COMMANDS,
  ...KEY_COMMANDS,
  ...CREDITS_COMMANDS,
  ...PAYMENT_COMMANDS,
  ...REPORT_COMMANDS,
  ...DATA_COMMANDS,
  ...TRANSFER_COMMANDS,
  ...JOB_COMMANDS,
  ...ACT_COMMANDS,
];
