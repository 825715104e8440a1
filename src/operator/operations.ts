import {
  closeAccountForGood,
  createAccount,
  listAccounts,
  resetPasskeys,
  resumeAccount,
  setEmail,
  showAccount,
  suspendAccount,
} from "./accounts.ts";
import { auditLedger } from "./audit.ts";
import { reverseCall, showCall } from "./calls.ts";
import { clawBackCredits, grantCredits, showCredits } from "./credits.ts";
import { backupData, exportAccount, exportEntries, exportLedger, importRecords } from "./data.ts";
import { listActions, listJobs, retryJob } from "./jobs.ts";
import { createApiKey, limitKey, listKeys, revokeKey, rotateApiKey } from "./keys.ts";
import type { Operation } from "./operation.ts";
import { listPayments, reconcilePayments } from "./payments.ts";
import { listPrices, removePrice, setPrice } from "./prices.ts";
import { report } from "./report.ts";

/** Everything an operator can do, in the order of the reference. */
export const OPERATIONS: readonly Operation[] = [
  ...[createAccount, listAccounts, showAccount, suspendAccount, resumeAccount, exportAccount],
  ...[exportEntries, setEmail, resetPasskeys, closeAccountForGood],
  ...[createApiKey, listKeys, limitKey, rotateApiKey, revokeKey],
  ...[grantCredits, clawBackCredits, showCredits],
  ...[setPrice, listPrices, removePrice],
  ...[showCall, reverseCall],
  ...[listPayments, reconcilePayments],
  ...[auditLedger, report],
  ...[backupData, exportLedger, importRecords],
  ...[listJobs, retryJob, listActions],
];
