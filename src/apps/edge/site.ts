import { waitUntil } from "cloudflare:workers";
import type { IndexedAccount } from "#accounts/directory.ts";
import { FREE_READ_TURNS } from "#accounts/read-turns.ts";
import { toolOfDescription } from "#api/openapi/tool-description.ts";
import type { AppContext } from "#calls/app-context.ts";
import { CALL_SETTING_NAMES, warningsOfWorker } from "#config/setting-names.ts";
import { createService, type Service } from "#service/compose.ts";
import { createDashboard } from "#service/dashboard.ts";
import type { DashboardPlatform, ServiceConfig } from "#service/parts.ts";
import { accentWarning } from "#site/accent.ts";
import { reversalsOfObjects } from "#stores/durable-object/ledger.ts";
import { objectsOf } from "#stores/durable-object/objects.ts";
import { exportObjects, importsOfObjects } from "#stores/durable-object/transfer.ts";
import { createD1DashboardStore } from "#stores/sql/d1-dashboard.ts";
import { createAccountIndex } from "#stores/sql/directory.ts";
import { exportOthers } from "#stores/sql/export-records.ts";
import { createOperatorActions } from "#stores/sql/operator-actions.ts";
import { TOOLS } from "#tools/registry.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { createEdgeBackground } from "./background.ts";
import { OWN_DESCRIPTIONS } from "./own-tools.ts";
import { type EdgePages, openEdgePages, readDisposableDomains } from "./pages.ts";
import { clientAddressOf, createEdgeAppContext } from "./platform.ts";
import { openEdgeRequestLog } from "./request-log.ts";
import { OWN_SECRETS } from "./run-own-tool.ts";
import { textsIn } from "./settings.ts";
import type { SiteEnv } from "./site-settings.ts";
import { createEdgeCounts } from "./site-throttle.ts";
import { isOffered } from "./tools.ts";

/**
 * The whole service in the site Worker, once per isolate. It holds no pending work of a request, because one request may not wait for
 * another's promise.
 */
export function openSite(
  env: SiteEnv,
  config: ServiceConfig,
): { service: Service; pages: EdgePages } {
  const context = createEdgeAppContext(callsPartOf(env), SITE_TOOLS);
  const logError = withHint(context.logError);
  const accent = accentWarning(config.look.accent);
  for (const warning of [...warningsOfWorker(textsIn(env)), ...(accent === null ? [] : [accent])])
    logError(warning, {});
  const stores = openStores(env, config, context.ledger);
  const pages = openEdgePages(env.ASSETS, logError);
  const { tools, now, random, hashKey } = context;
  const reverseAll = reversalsOfObjects(objectsOf(env.LEDGER, env).ofAccount);
  const dashboard = createDashboard({
    ...{ config, stores },
    platform: {
      ...{ tools, now, random, hashKey, logError, ...sitePlatform(env) },
      startBackground: (work) =>
        createEdgeBackground(work, {
          ...{ reverseAll, waitUntil, now, random, logError },
        }),
    },
  });
  const service = createService({
    config,
    stores: context,
    platform: {
      ...context,
      ...{ logError, version: packageJson.version },
      files: { pages, docs: pages.docs, legal: pages.legal },
      isForOperator: ({ url }) => FOR_OPERATOR.test(new URL(url).pathname),
      dashboard: {
        fetch: (request, body) =>
          dashboard.fetch(withBody(request, body), clientAddressOf(request)),
        fetchForOperator: (request) =>
          dashboard.operator.fetch(request, { address: clientAddressOf(request), isLocal: false }),
        scheduled: dashboard.scheduled,
        close: dashboard.close,
      },
    },
  });
  return { service, pages };
}

/** The code of own tools is loaded by their calls through MCP. */
const SITE_TOOLS = [...OWN_DESCRIPTIONS.map(toolOfDescription), ...TOOLS.filter(isOffered)];

const FOR_OPERATOR = /^\/operator(?:\/|$)/;

function openStores(env: SiteEnv, config: ServiceConfig, ledger: AppContext["ledger"]) {
  const { database, ...stores } = createD1DashboardStore(env.DB);
  const findObject = objectsOf(env.LEDGER, env).ofAccount;
  const index = createAccountIndex(database);
  return {
    ...stores,
    ledger,
    counts: createEdgeCounts(objectsOf(env.SIGN_IN, env)),
    requests: config.requestLog.keptDays === 0 ? null : openEdgeRequestLog(env),
    queues: [stores.jobs],
    operator: {
      ...{ ledger, index, actions: createOperatorActions(database) },
      imports: importsOfObjects(findObject),
      // Each account has a database of its own, and the platform does not report damage of its disks.
      whole: null,
      exportRecords: (after: IndexedAccount | null) =>
        exportObjects(findObject, {
          ...{ index, others: exportOthers(database, "sqlite"), after, max: ACCOUNTS_A_REQUEST },
        }),
      backup: BACKUP,
      keptSecrets: async () => null,
      pause: async () => {},
    },
  };
}

/** Each account takes a request for each kind of record, and a Worker may send only so many within one of its own. */
const ACCOUNTS_A_REQUEST = 50;

const BACKUP =
  "Cloudflare backs up D1 and the accounts' objects itself (point-in-time recovery): see docs/backup.md. To copy all data, use export.";

const sitePlatform = ({
  ASSETS,
}: SiteEnv): Omit<
  DashboardPlatform,
  "tools" | "now" | "random" | "hashKey" | "logError" | "startBackground"
> => ({
  readDisposableDomains: () => readDisposableDomains(ASSETS),
  isForOneRequest: true,
  readTurns: FREE_READ_TURNS,
  waitUntil,
  wait: (ms) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
  // Workers have no `/metrics`. The API Worker's analytics count responses by status.
  onRejection: () => {},
  logWarning: (message) => console.warn(JSON.stringify({ message })),
  logAction: (message, action) => console.log(JSON.stringify({ message, ...action })),
});

/** What calls need, which come here through MCP: bindings, and the settings that both Workers share. Others would be reported as unknown. */
const callsPartOf = ({ LEDGER, DB, ...texts }: SiteEnv) => ({
  ...Object.fromEntries([...CALL_SETTING_NAMES, ...OWN_SECRETS].map((name) => [name, texts[name]])),
  LEDGER,
  DB,
});

/** Returns the request with its body read and decompressed. */
function withBody(request: Request, bytes: Uint8Array): Request {
  const { method, url } = request;
  const headers = new Headers(request.headers);
  headers.delete("content-encoding");
  headers.delete("content-length");
  const body = bytes.byteLength === 0 ? null : (bytes as Uint8Array<ArrayBuffer>);
  return new Request(url, { method, headers, body });
}

const NO_TABLES = /no such (?:table|column)/i;
const HINT =
  "D1 lacks tables of this version. Import the files that `npx wrangler d1 migrations list DB -c wrangler.site.jsonc` shows with --remote, or with --local on your own machine (docs/cloudflare.md)";

/** Tells the operator what to do about errors that an operator can fix. */
const withHint =
  (logError: AppContext["logError"]): AppContext["logError"] =>
  (message, details) =>
    logError(NO_TABLES.test(String(details.cause)) ? `${message}. ${HINT}` : message, details);
