import type { Desk } from "#accounts/people.ts";
import { type Config, ConfigFault, isLoopback, readConfig, urlOf } from "#config.ts";
import { createApp } from "#http/app.ts";
import { openSqliteDirect } from "#store/sqlite-direct.ts";
import { openSqliteThread } from "#store/sqlite-thread.ts";
import { DataFolderFault, databaseFile, openDataFolder, readSecrets } from "./data-folder.ts";
import { createDemoAccount, welcome } from "./demo-account.ts";
import { createNodeHouse, hashKey, random, version } from "./node-house.ts";
import { createNodeLog } from "./node-log.ts";
import { createNodeMetrics } from "./node-metrics.ts";
import { startNodeServer } from "./node-server.ts";
import { openToolPool } from "./node-tool-pool.ts";
import { startUpkeep } from "./node-upkeep.ts";

/** The front door on Node: composes the service, starts it, and stops it when it is told to. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = createNodeLog(config.logLevel);
  const { secrets, demoKey } = await prepareData(config);

  const thread = await openSqliteThread({
    file: databaseFile(config.dataDir),
    onBatch: (batch) => metrics.onBatch(batch),
    onCrash(cause) {
      metrics.onLedgerCrash();
      log.complain("The ledger's thread died; it is started again", { cause });
    },
  });
  const pool = openToolPool(config.toolThreads);
  const metrics = createNodeMetrics({ ledger: thread.waiting, tools: pool.waiting });
  const upkeep = startUpkeep(thread.ledger, config.foldAfterDays, log.complain);

  let publicUrl = config.publicUrl;
  const server = await startNodeServer(
    (port) => {
      // With PORT=0 the port is known only now.
      if (!process.env["PUBLIC_URL"]) publicUrl = urlOf(config.host, port);
      const { ledger } = thread;
      return createApp(createNodeHouse({ config, publicUrl, secrets, ledger, pool, log, metrics }));
    },
    { host: config.host, port: config.port, publicUrl: config.publicUrl },
  );

  let stopping = false;
  async function stop(signal: string): Promise<void> {
    if (stopping) return;
    stopping = true;
    log.info("stopping", { signal });
    upkeep.stop();
    await server.stop();
    await thread.close();
    await pool.close();
    log.info("stopped");
    log.close();
    process.exit(0);
  }
  process.on("SIGTERM", (signal) => void stop(signal));
  process.on("SIGINT", (signal) => void stop(signal));

  // Last: whoever reads this may send a signal at once.
  announce(config, publicUrl, demoKey);
  log.info("started", { version, address: urlOf(config.host, server.port), publicUrl });
}

/** Opens the data folder once before the ledger's thread does: faults come here, and the demo account is made. */
async function prepareData(
  config: Config,
): Promise<{ secrets: readonly string[]; demoKey: string | null }> {
  const driver = openDataFolder(config.dataDir);
  try {
    const secrets = readSecrets(driver, config.secrets);
    const desk: Desk = { ...openSqliteDirect(driver), secrets, random, hashKey };
    const starter = { credits: config.starterCredits, days: config.starterDays };
    const demoKey = isLoopback(config.host)
      ? await createDemoAccount(desk, starter, Date.now())
      : null;
    return { secrets, demoKey };
  } finally {
    driver.close();
  }
}

// `npm start | head` must not end the service: nobody reads any more, and that is no fault.
process.stdout.on("error", () => {});

/** For the person at the terminal; the log goes to stderr and never holds a key. */
function announce(config: Config, publicUrl: string, demoKey: string | null): void {
  process.stdout.write(
    `Toolbooth ${version} listens on ${publicUrl}\nDocumentation: ${publicUrl}/docs\n`,
  );
  if (demoKey !== null) process.stdout.write(welcome(demoKey, publicUrl, config.starterCredits));
  if (!isLoopback(config.host)) {
    process.stdout.write(
      "Make an account and a key: npm run toolbooth -- account create you@example.com --credits 1000\n" +
        "                           npm run toolbooth -- key create you@example.com --label production\n",
    );
  }
}

main().catch((error: NodeJS.ErrnoException) => {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
});

function explain(error: NodeJS.ErrnoException): string {
  if (error instanceof ConfigFault) return `The settings are not right:\n${error.message}`;
  if (error instanceof DataFolderFault) return error.message;
  if (error.code === "EADDRINUSE")
    return `Another process listens on this address already (${error.message}). Set PORT to another one.`;
  if (error.code === "EACCES")
    return `This user may not listen on this address (${error.message}). Set PORT to 1024 or more.`;
  if (error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND")
    return `HOST is no address of this machine (${error.message}).`;
  return error.stack ?? String(error);
}
