/**
 * `npm run edge`: runs both Workers locally to try them. Nothing is deployed and nothing leaves the machine; data is stored in
 * `.wrangler`, and emails are printed to the terminal.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const CHECKOUT = path.join(import.meta.dirname, "../../..");
const WRANGLER = path.join(CHECKOUT, "node_modules", "wrangler", "bin", "wrangler.js");
const VARS = path.join(CHECKOUT, ".dev.vars");
const port = process.env["PORT"] ?? "8787";
const SITE_CONFIG = ["-c", "wrangler.site.jsonc"];

/** Matches the PUBLIC_URL that this script wrote, for any port, but not one that a user has set. */
const OWN_ADDRESS = /^PUBLIC_URL=http:\/\/127\.0\.0\.1:\d+$/m;

/** Writes the settings and secrets of a deployed service. Secrets are generated once, so that keys stay valid. */
function writeVars(): void {
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

let running: ChildProcess | undefined;
let isStopping = false;

/** Resolves when the child exits successfully or was told to stop. */
function run(options: string[], env: Record<string, string> = {}): Promise<void> {
  const child = spawn(process.execPath, options, {
    cwd: CHECKOUT,
    stdio: "inherit",
    env: {
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_HIDE_BANNER: "true",
      // Otherwise Wrangler asks Cloudflare for this machine's location.
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      ...process.env,
      ...env,
    },
  });
  running = child;
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0 || isStopping) resolve();
      else reject(new Error(`${path.basename(options[0] as string)} ended with ${code ?? signal}`));
    });
  });
}

// Ctrl+C in a terminal also reaches the child; this process waits for it to exit.
process.on("SIGINT", () => {
  isStopping = true;
});
process.on("SIGTERM", () => {
  isStopping = true;
  running?.kill("SIGTERM");
});

const steps = [
  () =>
    run(["--disable-warning=ExperimentalWarning", path.join(import.meta.dirname, "build-edge.ts")]),
  // CI=true, because Wrangler asks for confirmation in a terminal.
  () =>
    run([WRANGLER, "d1", "migrations", "apply", "DB", "--local", ...SITE_CONFIG], { CI: "true" }),
  () =>
    run([
      WRANGLER,
      "dev",
      "-c",
      "wrangler.jsonc",
      ...SITE_CONFIG,
      "--ip",
      "127.0.0.1",
      "--port",
      port,
    ]),
];

try {
  writeVars();
  for (const step of steps) if (!isStopping) await step();
} catch (error) {
  process.stderr.write(`Cannot run the Workers locally: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
