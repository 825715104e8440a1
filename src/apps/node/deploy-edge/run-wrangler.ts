import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { QUIET_WRANGLER, WRANGLER } from "../wrangler-program.ts";
import type { CloudflareAccess } from "./arguments.ts";
import { DeployError, Interrupted } from "./deploy-error.ts";

export type RunWrangler = (
  options: readonly string[],
  secrets?: Readonly<Record<string, string | null>>,
) => Promise<void>;

export type WranglerSettings = {
  checkout: string;
  access: CloudflareAccess;
  accountId: string;
  signal: AbortSignal;
  /** Gets the output as it comes. */
  onOutput(text: string): void;
};

/**
 * Of the environment, Wrangler gets only what it needs to reach Cloudflare. It would read much else, such as CLOUDFLARE_ENV, which
 * selects other configuration, or a global API key besides the token.
 */
const PASSED_VARIABLES = [
  "PATH",
  "HOME",
  "TMPDIR",
  "TEMP",
  "SYSTEMROOT",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "NODE_EXTRA_CA_CERTS",
  "NODE_COMPILE_CACHE",
];
/** How much of Wrangler's output an error shows, if Wrangler does not name a reason. */
const LINES_SHOWN = 25;
/** Time for Wrangler to end when it is told to. */
const STOP_MS = 5_000;

/**
 * Returns a function that runs the Wrangler of the lock file. Secrets are written to a JSON file for the time of the run, because from
 * a `.env` file Wrangler expands `$` and prefers exported variables of the same name.
 */
export const createWrangler =
  (settings: WranglerSettings): RunWrangler =>
  async (options, secrets) => {
    const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-deploy-"));
    try {
      const file = path.join(folder, "secrets.json");
      if (secrets !== undefined)
        writeFileSync(file, JSON.stringify(secrets), { mode: 0o600, flag: "wx" });
      const given = options.map((option) => (option === SECRETS_FILE ? file : option));
      await run(settings, given, path.join(folder, "report.ndjson"));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };

/** Stands for the path of the file with the secrets. */
export const SECRETS_FILE = "<settings as JSON>";

async function run(
  { checkout, access, accountId, signal, onOutput }: WranglerSettings,
  options: readonly string[],
  reportFile: string,
): Promise<void> {
  if (signal.aborted) throw new Interrupted();
  const child = spawn(process.execPath, [WRANGLER, ...options], {
    cwd: checkout,
    // Without a terminal Wrangler asks nothing.
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...Object.fromEntries(
        PASSED_VARIABLES.flatMap((name) => [name, name.toLowerCase()]).flatMap((name) =>
          process.env[name] === undefined ? [] : [[name, process.env[name]]],
        ),
      ),
      ...QUIET_WRANGLER,
      CI: "true",
      NO_COLOR: "1",
      WRANGLER_WRITE_LOGS: "false",
      // A report with the reason of an error, for programs.
      WRANGLER_OUTPUT_FILE_PATH: reportFile,
      CLOUDFLARE_API_TOKEN: access.token,
      CLOUDFLARE_ACCOUNT_ID: accountId,
      CLOUDFLARE_API_BASE_URL: access.apiUrl,
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      onOutput(text);
    });
  }
  let killTimer: NodeJS.Timeout | undefined;
  const stop = () => {
    child.kill("SIGTERM");
    killTimer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  };
  signal.addEventListener("abort", stop, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", resolve);
    });
    if (signal.aborted) throw new Interrupted();
    if (code !== 0) throw failure(options, output, reportFile);
  } finally {
    clearTimeout(killTimer);
    signal.removeEventListener("abort", stop);
  }
}

function failure(options: readonly string[], output: string, reportFile: string): DeployError {
  const plain = output.replaceAll(/\p{Cc}\[[\d;]*m/gu, "");
  const reason = readReason(reportFile);
  // The report leaves out what the API said, which is printed with its code.
  const details = plain.split("\n").filter((line) => /\[code: \d+\]/.test(line));
  const shown = reason === null ? plain.trim().split("\n").slice(-LINES_SHOWN) : details;
  const lines = [...new Set(shown.map((line) => `\n  ${line.trim()}`))];
  return new DeployError(
    `Wrangler failed (${options[0]}): ${reason ?? ""}${lines.join("")}`,
    adviceFor(`${reason}\n${plain}`),
  );
}

/** Returns the reason in Wrangler's report, without colors and control characters. */
function readReason(reportFile: string): string | null {
  try {
    const entries = readFileSync(reportFile, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as { type?: string; message?: string });
    const { message } = entries.findLast(({ type }) => type === "command-failed") ?? {};
    return message?.replaceAll(/\p{Cc}\[[\d;]*m/gu, "").trim() || null;
  } catch {
    return null;
  }
}

function adviceFor(text: string): string {
  if (/\[code: (?:10000|9109|10001)\]|Authentication error/i.test(text))
    return "The token may not do this. It needs Workers Scripts: Edit and D1: Edit for the account, and for a domain Workers Routes: Edit and Zone: Read for its zone.";
  if (/cpu_ms|CPU limits|paid plan|\[code: 100328\]/i.test(text))
    return "The service needs the Workers Paid plan. Change the plan in Cloudflare's dashboard.";
  if (/fetch failed|ECONN|ETIMEDOUT|ENOTFOUND/i.test(text)) return "Check the network connection.";
  return "Correct what Wrangler names. --verbose shows all of its output.";
}
