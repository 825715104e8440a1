/**
 * Both Workers on one's own machine, to try them: `npm run edge`. Nothing leaves the machine, nothing is deployed; what is kept lies
 * in `.wrangler`. Letters are written to the terminal.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const CHECKOUT = path.join(import.meta.dirname, "../../..");
const WRANGLER = path.join(CHECKOUT, "node_modules", "wrangler", "bin", "wrangler.js");
const VARS = path.join(CHECKOUT, ".dev.vars");
const port = process.env["PORT"] ?? "8787";
const PEOPLE = ["-c", "wrangler.site.jsonc"];

/** The address as written here for some port, and not one that somebody put in its place. */
const OWN_ADDRESS = /^PUBLIC_URL=http:\/\/127\.0\.0\.1:\d+$/m;

/** What a deployed service has as secrets and settings; the secrets are made once, so that keys stay good. */
function writeVars(): void {
  const address = `PUBLIC_URL=http://127.0.0.1:${port}`;
  const before = existsSync(VARS) ? readFileSync(VARS, "utf8") : null;
  const vars =
    before?.replace(OWN_ADDRESS, address) ??
    [
      "# Settings of `npm run edge`, on this machine alone.",
      `SECRET=${randomBytes(24).toString("hex")}`,
      `TOOLBOOTH_OPERATOR_TOKEN=${randomBytes(24).toString("hex")}`,
      `${address}\n`,
    ].join("\n");
  if (vars !== before) writeFileSync(VARS, vars, { mode: 0o600 });
}

let running: ChildProcess | undefined;
let isStopping = false;

/** Resolves when it has ended well, or because it was to stop. */
function run(options: string[], env: Record<string, string> = {}): Promise<void> {
  const child = spawn(process.execPath, options, {
    cwd: CHECKOUT,
    stdio: "inherit",
    env: {
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_HIDE_BANNER: "true",
      // Else it asks Cloudflare where this machine is.
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

// A terminal's Ctrl+C reaches the child too; this process waits for its end.
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
  // In front of a terminal it would ask whether it may.
  () => run([WRANGLER, "d1", "migrations", "apply", "DB", "--local", ...PEOPLE], { CI: "true" }),
  () =>
    run([
      ...[WRANGLER, "dev", "-c", "wrangler.jsonc", ...PEOPLE, "--ip", "127.0.0.1", "--port", port],
    ]),
];

try {
  writeVars();
  for (const step of steps) if (!isStopping) await step();
} catch (error) {
  process.stderr.write(`The edge cannot be tried out: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
