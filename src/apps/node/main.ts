import { setTimeout as delay } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import type { RequestChunk } from "#accounts/request-log.ts";
import { createRequestRecorder, type Handed, NODE_RECORDER } from "#accounts/request-recorder.ts";
import { type Config, urlOf } from "#config/config.ts";
import { LocalCallLedger } from "#ledger/call-ledger.ts";
import { createService } from "#service/compose.ts";
import { baseOf, isOwnMachine, originsOf, warningsOf } from "./addresses.ts";
import { type DashboardServer, openDashboardServer } from "./dashboard-server.ts";
import { outboxFolder } from "./data-folder.ts";
import { requireLastingData } from "./data-mount.ts";
import { createDemoAccount, DEMO_EMAIL } from "./demo-account.ts";
import { startFleetTools } from "./fleet-tools.ts";
import { createLastingFaults, type LastingFaults } from "./lasting-faults.ts";
import { isOfOneOrder } from "./ledger-faults.ts";
import { createNodeLog, type NodeLog } from "./log.ts";
import { createNodeMetrics } from "./metrics.ts";
import { connectionsWithin, readOpenFilesLimit } from "./open-files.ts";
import { isForOperator } from "./operator-server.ts";
import { listenForCommands } from "./operator-socket.ts";
import { openOwnToolThreads } from "./own-tool-threads.ts";
import { createNodePlatform, elapsed } from "./platform.ts";
import { createNodeReadiness, readinessWarnings } from "./readiness.ts";
import { openReversals } from "./reversals.ts";
import { hashKey, random, version } from "./runtime.ts";
import { startNodeServer } from "./server.ts";
import { readNodeSettings } from "./settings.ts";
import { openSiteFiles } from "./site-files.ts";
import { announce, explain, say } from "./start-text.ts";
import { stopCalls } from "./stop-calls.ts";
import { diskOf, startStorageWatch } from "./storage-watch.ts";
import { type NodeStore, openNodeStore, type StoreEvents } from "./store.ts";
import { openWatchedToolPool } from "./tool-pool.ts";
import { loadTools, requireSecrets, type ServedTools } from "./tools-folder.ts";
import { startHoldExpiry, startUpkeep } from "./upkeep.ts";
import { openUploadedFiles } from "./uploaded-files.ts";
import { watchTools } from "./watch-tools.ts";

/** Long enough for a database that starts together with its nodes or fails over to a new primary. */
const DATABASE_PATIENCE_MS = 60_000;

/** How long a stop waits for the request log. */
const LOG_STOP_MS = 2_000;

/** `toolbooth dev` serves the tools as they are saved. */
const isDevelopment = process.argv[2] === "dev";

/** The service on Node: opens its storage, starts its server, and stops both on SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const { config, prices, logo } = readNodeSettings(process.env);
  requireLastingData(config, process.env["container"]);
  const log = createNodeLog(config.logLevel, { readable: await readableLines() });
  exitOnCrash(log);
  const faults = createLastingFaults(log);
  const now = () => Date.now();
  // Read while the database opens.
  const loading = loadTools(config.builtInTools);
  loading.catch(() => {});
  const storage = startStorageWatch({ faults, disk: diskOf(config.dataDir), now });
  const connectionsMax = connectionsWithin(readOpenFilesLimit(), log.warn);
  const store = await openNodeStore(
    config,
    {
      ...storeEvents(faults, log),
      onWal: storage.onWal,
      onBatch({ size, commitMs }) {
        metrics.batchOrders.observe(size);
        metrics.commitSeconds.observe(commitMs / 1_000);
      },
      onCrash(cause) {
        metrics.ledgerLosses.inc();
        log.logError("Ledger connection lost; reconnecting", { cause });
      },
    },
    { forMs: DATABASE_PATIENCE_MS, log: log.warn },
  );
  const { ledger } = store;
  const served = await loading;
  requireSecrets(served, process.env);
  const pool = openWatchedToolPool(config.toolThreads, faults, log);
  const openOwn = ({ files }: ServedTools, startThread?: () => Worker) =>
    openOwnToolThreads(
      files,
      config.toolThreads,
      {
        onFault: (tool, cause) =>
          log.logError(`The tool ${tool} ended its thread after a call`, { cause }),
        onLog: (tool, message, callId) => log.info(message, { tool, callId }),
      },
      startThread,
    );
  let own = openOwn(served);
  let { tools } = served;
  const reversals = openReversals(config.dataDir, ledger, random, log.logError);
  let dashboard: DashboardServer | undefined;
  const metrics = createNodeMetrics({
    ledger: store.waiting,
    tools: () => pool.waiting() + own.waiting(),
    dashboard: () => dashboard?.counts() ?? null,
    reversals: reversals.countJobs,
    faults: faults.current,
    storage,
    database: store.measure,
  });
  const handOver = async (chunks: readonly RequestChunk[]): Promise<Handed> => {
    // The log must not fill the disk that the ledger needs.
    if (faults.current().has("disk") && config.databaseUrl === null) return "lost";
    return (await dashboard?.logRequests(chunks)) ?? "again";
  };
  const requests =
    config.requestLog.keptDays === 0
      ? null
      : createRequestRecorder({
          async write(chunks) {
            const handed = await handOver(chunks);
            return chunks.map(() => handed);
          },
          wait: (ms) => delay(ms, undefined, { ref: false }),
          onLost: (count) => metrics.requestsNotLogged.inc(count),
          ...{ elapsed, bounds: NODE_RECORDER },
        });
  const files = openSiteFiles(config.dataDir, log);
  const uploads = openUploadedFiles(config.dataDir, {
    // Nodes on PostgreSQL may share a folder.
    isShared: config.databaseUrl !== null,
    isDiskLow: () => faults.current().has("disk"),
    logError: log.logError,
  });
  const calls = new LocalCallLedger(ledger, config.rateLimit, elapsed, isOfOneOrder);
  const debits = calls.recentDebits;
  const readiness = createNodeReadiness({ ledger, debits, faults, now, elapsed });
  const stores = {
    ...{ ledger, calls, readiness, reverseLater: reversals.reverseLater },
    warnings: () => readinessWarnings(faults),
  };
  const server = await startNodeServer(
    (port) => {
      // With PORT=0 the port is only known once the server listens.
      const at = { publicUrl: baseOf(config, port), origins: originsOf(config, port) };
      const known = { ...config, ...at, secrets: store.secrets, prices, logo };
      const dashboardServer = openDashboardServer(known, store.connect, log, {
        tools: served.tools,
        onRejection: (reason) => metrics.rejections.inc({ reason }),
      });
      dashboard = dashboardServer;
      const forOperator = { isForOperator: (_: Request, to: unknown) => isForOperator(urlIn(to)) };
      const compose = ({ tools }: ServedTools) => {
        const platform = createNodePlatform({
          ...{ config, tools, pool, own, log, metrics, requests, uploads },
        });
        return createService({
          ...{ config: known, stores },
          platform: { ...platform, ...forOperator, version, files, dashboard: dashboardServer },
        });
      };
      const service = compose(served);
      if (isDevelopment)
        watchTools(config.builtInTools, served, (next, startThread) => {
          own.retire();
          own = openOwn(next, startThread);
          tools = next.tools;
          Object.assign(service, compose(next));
        });
      return service;
    },
    {
      ...{ host: config.host, port: config.port, connectionsMax },
      onConnectionDropped: () => metrics.connectionsDropped.inc(),
    },
  );
  const fetchForCommand = async (request: Request) =>
    (dashboard as DashboardServer).fetchForOperator(request, null);
  const commands = await listenForCommands(config.dataDir, fetchForCommand, log.warn);
  const upkeep = startUpkeep(ledger, faults, log.logError);
  const fleetTools =
    store.exchangeTools && startFleetTools(store.exchangeTools, () => tools, faults);
  const holdExpiry = startHoldExpiry(
    ledger,
    (count) => metrics.holdsExpired.inc(count),
    log.logError,
  );

  stopOnSignals(log, async () => {
    upkeep.stop();
    fleetTools?.stop();
    holdExpiry.stop();
    storage.stop();
    files.pages.close();
    await commands.close();
    await stopCalls(server, own, calls.openHolds);
    await Promise.race([requests?.drain(), delay(LOG_STOP_MS)]);
    await dashboard?.close();
    await reversals.stop();
    await store.close();
    await reversals.close();
    await pool.close();
  });

  // After the port is bound, because the key is shown only once and a failed start must not consume it.
  const demoKey = await openDemoAccount(config, store);
  // Last, because a supervisor that reads this line may send a signal immediately.
  const publicUrl = baseOf(config, server.port);
  const address = urlOf(config.host, server.port);
  const warnings = warningsOf(config, outboxFolder(config.dataDir), server.port);
  store.announce?.(address);
  announce(config, { address, publicUrl, demoKey, tools: served.tools, warnings });
  for (const message of served.messages) say(`${message}\n`);
  for (const warning of warnings) log.warn(warning);
  log.info("started", { version, address, publicUrl });
}

const urlIn = (incoming: unknown) => (incoming as { url?: string }).url;

const storeEvents = (
  faults: LastingFaults,
  log: NodeLog,
): Pick<StoreEvents, "onFault" | "onFiles"> => ({
  onFault: (cause) => log.logError("Moving debits out of the journal failed; retrying", { cause }),
  onFiles: (fault) => (fault === null ? faults.clear("files") : faults.set("files", fault)),
});

/** Returns the key of the demo account; null where the service has accounts, or is not on its operator's own machine. */
async function openDemoAccount(config: Config, store: NodeStore): Promise<string | null> {
  if (!isOwnMachine(config) || !(await store.isEmptyOrUnfinished(DEMO_EMAIL))) return null;
  const { ledger, directory, secrets } = store;
  const starter = { credits: config.starterCredits, days: config.starterDays };
  const { keyPrefix } = config;
  const deps = { ledger, directory, secrets, keyPrefix, random, hashKey };
  return createDemoAccount(deps, starter, Date.now());
}

function stopOnSignals(log: NodeLog, stop: () => Promise<void>): void {
  let isStopping = false;
  async function stopOnce(signal: string): Promise<void> {
    if (isStopping) return;
    isStopping = true;
    log.info("stopping", { signal });
    await stop();
    log.info("stopped");
    await log.close();
    process.exit(0);
  }
  process.on("SIGTERM", (signal) => void stopOnce(signal));
  process.on("SIGINT", (signal) => void stopOnce(signal));
}

/** Otherwise Node itself writes the error to the log, and waits forever for a reader that does not read. */
function exitOnCrash(log: NodeLog): void {
  let isCrashing = false;
  process.on("uncaughtException", async (cause) => {
    log.logError("The server crashed", { cause });
    if (isCrashing) return;
    isCrashing = true;
    await log.close();
    process.exit(1);
  });
}

/** The log on a terminal is for a person. Imported here because a service has none. */
async function readableLines() {
  if (!process.stderr.isTTY) return null;
  const { createReadableLines } = await import("./readable-log.ts");
  return createReadableLines({ colors: process.stderr.hasColors() });
}

// `npm start | head` closes stdout; the service keeps running without a reader.
process.stdout.on("error", () => {});

main().catch((error: NodeJS.ErrnoException) => {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
});
