import { ACCOUNT_COMMANDS } from "./cli-accounts.ts";
import { ACT_COMMANDS } from "./cli-acts.ts";
import type { Command } from "./cli-command.ts";
import { CREDITS_COMMANDS } from "./cli-credits.ts";
import { DATA_COMMANDS } from "./cli-data.ts";
import { KEY_COMMANDS } from "./cli-keys.ts";
import { PAYMENT_COMMANDS } from "./cli-payments.ts";
import { REPORT_COMMANDS } from "./cli-report.ts";
import { TRANSFER_COMMANDS } from "./cli-transfer.ts";

/** Every command, in the order in which help shows them. */
export const COMMANDS: readonly Command[] = [
  ...ACCOUNT_COMMANDS,
  ...KEY_COMMANDS,
  ...CREDITS_COMMANDS,
  ...PAYMENT_COMMANDS,
  ...REPORT_COMMANDS,
  ...DATA_COMMANDS,
  ...TRANSFER_COMMANDS,
  ...ACT_COMMANDS,
];
