import type { AccountDeps } from "#accounts/accounts.ts";
import type { KeyBounds } from "#accounts/key-limits.ts";
import type { NotifyDeps } from "#accounts/notify-owner.ts";
import type { RequestLogReads } from "#accounts/request-log.ts";
import {
  createOperatorApp,
  type OperatorApp,
  type OperatorAppWiring,
} from "#api/operator/operator-app.ts";
import type { Billing } from "#billing/billing.ts";
import { operatorJobs } from "#jobs/operator-jobs.ts";
import { accountsOfLedger } from "#stores/sql/account-index.ts";
import { createGrantList } from "#stores/sql/grant-list.ts";
import { createOperatorActions } from "#stores/sql/operator-actions.ts";
import type { openDashboardStore } from "./dashboard-store.ts";
import { reversalsForOperator } from "./reversals.ts";

/** The operator API on Node. It runs on the dashboard thread so that no call waits for it. */
export function openNodeOperator({
  store,
  accountDeps,
  keyBounds,
  notify,
  billing,
  dataDir,
  requests,
  ...rest
}: Omit<OperatorAppWiring, "context"> & {
  store: ReturnType<typeof openDashboardStore>;
  accountDeps: AccountDeps;
  keyBounds: KeyBounds;
  notify: NotifyDeps;
  billing: Billing | null;
  /** This node's folder, which holds its own pending reversals. */
  dataDir: string;
  requests: RequestLogReads | null;
}): OperatorApp {
  const { ledger, directory, purchases, database, moves, findDamage, isDamage } = store;
  return createOperatorApp({
    ...rest,
    context: {
      ledger,
      directory,
      purchases,
      notify,
      findDamage,
      isDamage,
      accountDeps: async () => accountDeps,
      keyBounds: async () => keyBounds,
      billing: async () => billing,
      actions: createOperatorActions(database),
      jobs: operatorJobs([store.jobs, reversalsForOperator(dataDir)]),
      index: accountsOfLedger(database),
      moves,
      requests,
      grants: createGrantList(database),
    },
  });
}
