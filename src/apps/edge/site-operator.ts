import { waitUntil } from "cloudflare:workers";
import { createOperatorApp, type OperatorApp } from "#api/operator/operator-app.ts";
import { operatorJobs } from "#jobs/operator-jobs.ts";
import { movesOfObjects } from "#stores/durable-object/ledger.ts";
import { objectsOf } from "#stores/durable-object/objects.ts";
import { createOperatorActions } from "#stores/sql/operator-actions.ts";
import type { DashboardSide } from "./dashboard-deps.ts";
import type { DashboardConfig, SiteEnv } from "./site-settings.ts";

/** The operator API, created once per isolate because it counts wrong tokens. */
export function openOperator(
  side: DashboardSide,
  env: SiteEnv,
  config: DashboardConfig,
): OperatorApp {
  const {
    ledger,
    accountDeps,
    keyBounds,
    index,
    requests,
    store,
    emails,
    billing,
    deps,
    logError,
    newRequestId,
  } = side;
  const { database, directory, activityLog, purchases } = store;
  const moves = movesOfObjects(objectsOf(env.LEDGER, env).ofAccount);
  return createOperatorApp({
    tokens: config.operatorTokens,
    context: {
      ledger,
      directory,
      purchases,
      accountDeps: async () => accountDeps,
      keyBounds: async () => keyBounds,
      billing: async () => billing,
      notify: { activityLog, mail: emails.mail, publicUrl: config.publicUrl },
      actions: createOperatorActions(database),
      jobs: operatorJobs([store.jobs]),
      index,
      moves,
      requests: requests?.log ?? null,
      grants: null,
      // The platform manages its disks and does not report their damage.
      findDamage: async () => [],
      isDamage: () => false,
    },
    now: deps.now,
    waitUntil,
    newRequestId,
    logError,
    logAction: (message, action) => console.log(JSON.stringify({ message, ...action })),
  });
}
