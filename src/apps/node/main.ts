import type { IncomingMessage } from "node:http";
import path from "node:path";
import { type App, createApp } from "#api/app.ts";
import { type Config, urlOf } from "#config/config.ts";
import { ConfigError } from "#config/read-settings.ts";
import { SETTINGS } from "#config/settings.ts";
import { isLoopbackAddress } from "#networks.ts";
import { createSite } from "#site/site.ts";
import { apiOptionsOf } from "#site/site-context.ts";
import { baseOf, isOwnMachine, warningsOf } from "./addresses.ts";
import { createNodeAppContext, elapsed } from "./app-context.ts";
import { createIsTrusted } from "./client-address.ts";
import type { ConnectionEvent } from "./connection-limits.ts";
import { type DashboardServer, openDashboardServer } from "./dashboard-server.ts";
import { DataFolderError, outboxFolder, TOO_MANY_FILES } from "./data-folder.ts";
import { StartupDatabaseError } from "./database-startup.ts";
import { createDemoAccount, DEMO_EMAIL, welcome } from "./demo-account.ts";
import { readDocs } from "./docs.ts";
import { createLastingFaults } from "./lasting-faults.ts";
import { openLegalFiles } from "./legal-files.ts";
import { createNodeLog } from "./log.ts";
import { createNodeMetrics } from "./metrics.ts";
import { connectionsWithin, readOpenFilesLimit, TooFewOpenFiles } from "./open-files.ts";
import { isForOperator } from "./operator-server.ts";
import { openPages, sourcePages } from "./pages.ts";
import { createNodeReadiness, recordDebits } from "./readiness.ts";
import { createRequestRecorder } from "./request-recorder.ts";
import { openReversals } from "./reversals.ts";
import { hashKey, random, version } from "./runtime.ts";
import { startNodeServer } from "./server.ts";
import { readNodeSettings } from "./settings.ts";
import { diskOf, startStorageWatch } from "./storage-watch.ts";
import { openNodeStore } from "./store.ts";
import { openToolPool } from "./tool-pool.ts";
import { startUpkeep } from "./upkeep.ts";

const CHECKOUT = path.join(import.meta.dirname, "../../..");

/** The service on Node: composes its parts, starts them, and stops them on SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const { config, prices } = readNodeSettings(process.env);
  const log = createNodeLog(config.logLevel, { readable: await readableLines() });
  const faults = createLastingFaults(log);
  const disk = diskOf(config.dataDir);
  const storage = startStorageWatch({ faults, disk, now: () => Date.now() });
  const connectionsMax = connectionsWithin(readOpenFilesLimit(), log.warn);
  const store = await openNodeStore(
    config,
    {
      onBatch({ size, commitMs }) {
        metrics.batchOrders.observe(size);
        metrics.commitSeconds.observe(commitMs / 1_000);
      },
      onCrash(cause) {
        metrics.ledgerCrashes.inc();
        log.logError("Ledger connection lost; reconnecting", { cause });
      },
      onFault: (cause) =>
        log.logError("Moving debits out of the journal failed; retrying", { cause }),
      onWal: storage.onWal,
      onFiles: (fault) => (fault === null ? faults.clear("files") : faults.set("files", fault)),
    },
    { forMs: DATABASE_PATIENCE_MS, log: log.warn },
  );
  const { directory, secrets } = store;
  const debits = recordDebits(store.ledger, elapsed);
  const { ledger } = debits;
  const pool = openToolPool(
    config.toolThreads,
    (cause) => log.logError("A tool thread failed", { cause }),
    {
      onBroken(cause) {
        if (cause === null) return faults.clear("tools");
        log.logError("No tool thread can start", { cause });
        faults.set("tools", NO_TOOL_THREADS);
      },
    },
  );
  const metrics = createNodeMetrics({
    ledger: store.waiting,
    tools: pool.waiting,
    jobs: async () => [...((await dashboard?.countJobs()) ?? []), ...(await reversals.countJobs())],
    signUps: async () => (await dashboard?.countSignUps()) ?? null,
    faults: faults.current,
    storage,
    database: store.measure,
  });
  const readiness = createNodeReadiness({ debits, faults, now: () => Date.now(), elapsed });
  const reversals = openReversals(config.dataDir, ledger, random, log.logError);
  const { logError } = log;
  const pages =
    process.env["VITE_DEV_SERVER"] === undefined
      ? openPages({ checkout: CHECKOUT, dataDir, say, logError })
      : sourcePages();
  const docs = readDocs(log.logError);
  const legal = openLegalFiles(config.dataDir, log.warn);
  let dashboard: DashboardServer | undefined;
  const requests =
    config.requestLog.keptDays === 0
      ? null
      : createRequestRecorder({
          send: async (chunks) =>
            // The log must not fill the disk that the ledger needs.
            faults.current().has("disk") && config.databaseUrl === null
              ? "lost"
              : ((await dashboard?.logRequests(chunks)) ?? "again"),
          onLost: (count) => metrics.requestsNotLogged.inc(count),
        });
  let publicUrl = config.publicUrl ?? "";
  const isTrusted = createIsTrusted(config.trustedProxies);
  const options = {
    ...config,
    connectionsMax,
    isProxy: (address: string) => isTrusted(address) || isLoopbackAddress(address),
    onConnectionClosed: ({ bound, connection }: ConnectionEvent) =>
      metrics.connectionsClosed.inc({ bound, connection }),
  };
  const open = (port: number) => {
    // With PORT=0 the port is only known once the server listens.
    publicUrl = baseOf(config, port);
    const at = { publicUrl, port, secrets, prices, blocked: store.blocked };
    dashboard = openDashboardServer(config, at, log, (reason) =>
      metrics.rejections.inc({ reason }),
    );
    const { reverseLater } = reversals;
    const parts = { ledger, readiness, pool, log, metrics, requests, reverseLater, prices };
    const context = createNodeAppContext({ config, publicUrl, secrets, ...parts });
    const { securityContact } = config;
    const settings = { ...apiOptionsOf(context, version), table: SETTINGS, securityContact };
    const app = createApp(
      context,
      createSite({ settings, dashboard, pages, docs: () => docs, legal }),
    );
    return withOperator(app, dashboard);
  };
  const server = await startNodeServer(open, options);
  const upkeep = startUpkeep(ledger, config.rollUpAfterDays, faults, log.logError);

  let stopping = false;
  async function stop(signal: string): Promise<void> {
    if (stopping) return;
    stopping = true;
    log.info("stopping", { signal });
    upkeep.stop();
    storage.stop();
    pages.close();
    await server.stop();
    await requests?.stop();
    await dashboard?.stop();
    await reversals.stop();
    await store.close();
    await reversals.close();
    await pool.close();
    log.info("stopped");
    await log.close();
    process.exit(0);
  }
  process.on("SIGTERM", (signal) => void stop(signal));
  process.on("SIGINT", (signal) => void stop(signal));

  // After the port is bound, because the key is shown only once and a failed start must not consume it.
  const accountDeps = { ledger, directory, secrets, random, hashKey };
  const starter = { credits: config.starterCredits, days: config.starterDays };
  const wantsDemo = isOwnMachine(config) && (await store.isEmptyOrUnfinished(DEMO_EMAIL));
  const demoKey = wantsDemo ? await createDemoAccount(accountDeps, starter, Date.now()) : null;

  // Last, because a supervisor that reads this line may send a signal immediately.
  const address = urlOf(config.host, server.port);
  const warnings = warningsOf(config, outboxFolder(config.dataDir), server.port);
  store.announce?.(address);
  announce(config, { address, publicUrl, demoKey, warnings });
  for (const warning of warnings) log.warn(warning);
  log.info("started", { version, address, publicUrl });
}

/** Adds the operator API to the app. */
const withOperator = (app: App, dashboard: DashboardServer): App => ({
  ...app,
  fetch: (request, connection) =>
    isForOperator((connection as IncomingMessage).url)
      ? dashboard.fetchForOperator(request, connection)
      : app.fetch(request, connection),
});

/** The cause is in the log: it may name folders. */
const NO_TOOL_THREADS = {
  message:
    "Large calls fail: no thread that processes them can start. The log says why; allow the server what the system denies it, or give it more threads and memory.",
  stopsCalls: true,
};

/** Long enough for a database that starts together with its nodes or fails over to a new primary. */
const DATABASE_PATIENCE_MS = 60_000;

// `npm start | head` closes stdout; the service keeps running without a reader.
process.stdout.on("error", () => {});

/** The log on a terminal is for a person. Imported here because a service has none. */
async function readableLines() {
  if (!process.stderr.isTTY) return null;
  const { createReadableLines } = await import("./readable-log.ts");
  return createReadableLines({ colors: process.stderr.hasColors() });
}

const say = (text: string) => void process.stdout.write(text);

/** Prints the start message to stdout. The log goes to stderr and never contains a key. */
function announce(
  config: Config,
  at: { address: string; publicUrl: string; demoKey: string | null; warnings: readonly string[] },
): void {
  say(`Toolbooth ${version} listens on ${at.address}\nDocumentation: ${at.publicUrl}/docs\n`);
  if (at.demoKey !== null) say(welcome(at.demoKey, at.address, config.starterCredits));
  for (const warning of at.warnings) say(`${warning}\n`);
  if (isOwnMachine(config)) return;
  say(
    `To create an account and a key for the data in ${config.dataDir}:\n` +
      "  npm run -s toolbooth -- account create you@example.com --credits 1000\n" +
      "  npm run -s toolbooth -- key create you@example.com --label production\n",
  );
}

main().catch((error: NodeJS.ErrnoException) => {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
});

function explain(error: NodeJS.ErrnoException): string {
  if (error instanceof ConfigError) return `Invalid settings:\n${error.message}`;
  const known = [DataFolderError, StartupDatabaseError, TooFewOpenFiles];
  if (known.some((kind) => error instanceof kind)) return error.message;
  if (error.code === "EADDRINUSE")
    return `Another process already listens on this address (${error.message}). Set PORT to another port.`;
  if (error.code === "EACCES")
    return `This user may not listen on this address (${error.message}). Set PORT to 1024 or more.`;
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND")
    return `HOST is not a local address (${error.message}).`;
  if (error.code === "EMFILE" || error.code === "ENFILE") return TOO_MANY_FILES;
  const isDebugging = process.env["TOOLBOOTH_LOG_LEVEL"] === "debug";
  const found = `The server cannot start because of an unexpected error (${error.message ?? error}). Please report it, with the lines that TOOLBOOTH_LOG_LEVEL=debug adds.`;
  return isDebugging ? `${found}\n${error.stack}` : found;
}
