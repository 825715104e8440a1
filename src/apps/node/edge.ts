/**
 * `npm run edge`: runs both Workers locally to try them. Nothing is deployed and nothing leaves the machine; data is stored in
 * `.wrangler`, and emails are printed to the terminal.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { parseArgs } from "node:util";
import { RestartsExhausted, stopAll, supervise } from "./edge-supervisor.ts";
import { listProcesses } from "./processes.ts";
import { CHECKOUT, QUIET_WRANGLER, WRANGLER } from "./wrangler-program.ts";

const USAGE = `Usage: npm run edge -- [--data FOLDER]

Runs both Workers at http://127.0.0.1:PORT (8787) with the data in FOLDER (.wrangler/state).
`;

const VARS = path.join(CHECKOUT, ".dev.vars");
const SITE_CONFIG = ["-c", "wrangler.site.jsonc"];

/** Matches the PUBLIC_URL that this script wrote, for any port, but not one that a user has set. */
const OWN_ADDRESS = /^PUBLIC_URL=http:\/\/127\.0\.0\.1:\d+$/m;

/** Writes the settings and secrets of a deployed service. Secrets are generated once, so that keys stay valid. */
function writeVars(port: number): void {
  const address = `PUBLIC_URL=http://127.0.0.1:${port}`;
  const before = existsSync(VARS) ? readFileSync(VARS, "utf8") : null;
  const vars =
    before?.replace(OWN_ADDRESS, address) ??
    [
      "# Settings of `npm run edge` on this machine.",
      `SECRET=${randomBytes(24).toString("hex")}`,
      `TOOLBOOTH_OPERATOR_TOKEN=${randomBytes(24).toString("hex")}`,
      `${address}\n`,
    ].join("\n");
  if (vars !== before) writeFileSync(VARS, vars, { mode: 0o600 });
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw new Error(`PORT must be a number from 1 to 65535; got ${JSON.stringify(text)}`);
}

/** Throws if another one uses the data, which would see half of its writes, or another program the port. */
async function requireFree(port: number, data: string): Promise<void> {
  const running = listProcesses().filter(
    ({ pid, command }) => pid !== process.pid && command.includes(`${WRANGLER} dev `),
  );
  const other = running.find(({ command }) => command.endsWith(` --persist-to ${data}`));
  if (other !== undefined) {
    throw new Error(
      `another \`npm run edge\` uses ${data} (process ${other.pid}). Stop it with Ctrl+C in its terminal or with \`kill ${other.pid}\`, or use --data`,
    );
  }
  const server = createServer();
  server.listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES")
      throw new Error(`this user may not use port ${port}. Set PORT to another one`);
    if (code !== "EADDRINUSE") throw error;
    throw new Error(
      `another program uses port ${port}. Stop it, or choose another port: PORT=${port < 65_535 ? port + 1 : 8787} npm run edge`,
    );
  }
  server.close();
  await once(server, "close");
}

let running: ChildProcess | undefined;
const stop = new AbortController();

function start(options: string[], env: Record<string, string> = {}): ChildProcess {
  running = spawn(process.execPath, options, {
    cwd: CHECKOUT,
    stdio: "inherit",
    env: { ...QUIET_WRANGLER, ...process.env, ...env },
  });
  return running;
}

/** Resolves when the child exits successfully or was told to stop. */
function run(options: string[], env?: Record<string, string>): Promise<void> {
  const child = start(options, env);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0 || stop.signal.aborted) resolve();
      else reject(new Error(`${path.basename(options[0] as string)} ended with ${code ?? signal}`));
    });
  });
}

// Ctrl+C in a terminal also reaches the children; a second SIGTERM does nothing.
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => {
    stop.abort();
    if (running !== undefined) void stopAll(running);
  });
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { data: { type: "string" }, help: { type: "boolean", short: "h" } },
  });
  if (values.help === true) {
    process.stdout.write(USAGE);
    return;
  }
  const port = readPort(process.env["PORT"] || "8787");
  const data = path.resolve(values.data ?? path.join(CHECKOUT, ".wrangler/state"));
  const persist = ["--persist-to", data];
  await requireFree(port, data);
  writeVars(port);
  const build = path.join(import.meta.dirname, "build-edge.ts");
  await run(["--disable-warning=ExperimentalWarning", build]);
  if (stop.signal.aborted) return;
  // CI=true, because Wrangler asks for confirmation in a terminal.
  const migrate = ["d1", "migrations", "apply", "DB", "--local", ...SITE_CONFIG, ...persist];
  await run([WRANGLER, ...migrate], { CI: "true" });
  if (stop.signal.aborted) return;
  const configs = ["-c", "wrangler.jsonc", ...SITE_CONFIG];
  const dev = ["dev", ...configs, "--ip", "127.0.0.1", "--port", String(port), ...persist];
  await supervise(
    {
      start: () => start([WRANGLER, ...dev]),
      probeUrl: `http://127.0.0.1:${port}/healthz`,
      say: (text) => void process.stdout.write(`[edge] ${text}\n`),
    },
    stop.signal,
  );
}

try {
  await main();
} catch (error) {
  const advice =
    error instanceof RestartsExhausted
      ? " The messages above say why. Run it again when that is solved."
      : "";
  process.stderr.write(`Cannot run the Workers locally: ${(error as Error).message}.${advice}\n`);
  process.exitCode = 1;
}
