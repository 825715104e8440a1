import { isIP } from "node:net";
import path from "node:path";
import { parseArgs } from "node:util";
import { AccountError, readEmail } from "#accounts/accounts.ts";
import { DeployUsageError } from "./deploy-error.ts";

export const USAGE = `Usage: npm run deploy:edge -- [options]

Deploys both Workers to Cloudflare: sets everything up the first time, and updates it later.
Running it again is safe, also after an error or Ctrl+C.

  --domain NAME        the domain of the service, for example tools.example.com. Its zone must be
                       in the account. Without it, the service is at workers.dev.
  --account EMAIL      create an account and a key for this address, and make a first call with it
  --settings FILE      the file with settings and secrets (default: edge.json in DATA_DIR)
  --location REGION    where the D1 database is created: weur, eeur, apac, oc, wnam or enam
                       (default: near this machine)
  --replace-secret     upload SECRET although the Workers have one; keys made with the old one stop
                       working, unless SECRET is a list that contains it
  --wait SECONDS       how long to wait until the service is ready (default: 300)
  --connect-to HOST:PORT   connect to this address for the checks, instead of the domain's
  --dry-run            show the steps and change nothing
  --verbose            show the output of Wrangler

CLOUDFLARE_API_TOKEN must be set. CLOUDFLARE_ACCOUNT_ID is needed if the token is for several accounts.
`;

export type Arguments = {
  domain: string | null;
  account: string | null;
  settingsFile: string;
  location: string | null;
  replaceSecret: boolean;
  waitMs: number;
  connectTo: { host: string; port: number } | null;
  dryRun: boolean;
  verbose: boolean;
};

export type CloudflareAccess = {
  token: string;
  accountId: string | null;
  /** Cloudflare's API, or a substitute for it in tests. Wrangler reads the same variable. */
  apiUrl: string;
};

type Environment = Record<string, string | undefined>;

const OPTIONS = {
  domain: { type: "string" },
  account: { type: "string" },
  settings: { type: "string" },
  location: { type: "string" },
  "replace-secret": { type: "boolean" },
  wait: { type: "string" },
  "connect-to": { type: "string" },
  "dry-run": { type: "boolean" },
  verbose: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

const LOCATIONS = ["weur", "eeur", "apac", "oc", "wnam", "enam"];
const WAIT_SECONDS_DEFAULT = 300;
const WAIT_SECONDS_MAX = 3_600;

/** Returns null if help was requested. Throws a `DeployUsageError` with one sentence for anything that is wrong. */
export function readArguments(
  typed: readonly string[],
  env: Environment,
  checkout: string,
): Arguments | null {
  const values = parse(typed);
  if (values.help === true) return null;
  const { location = null } = values;
  if (location !== null && !LOCATIONS.includes(location))
    throw new DeployUsageError(`--location must be one of ${LOCATIONS.join(", ")}.`);
  return {
    domain: values.domain === undefined ? null : readDomain(values.domain),
    account: values.account === undefined ? null : readAccount(values.account),
    settingsFile: path.resolve(
      values.settings ?? path.join(env["DATA_DIR"] || path.join(checkout, "data"), "edge.json"),
    ),
    location,
    replaceSecret: values["replace-secret"] === true,
    waitMs: readWait(values.wait),
    connectTo: readConnectTo(values["connect-to"]),
    dryRun: values["dry-run"] === true,
    verbose: values.verbose === true,
  };
}

/** Reads where and as whom to deploy, with the variables that Wrangler reads too. */
export function readAccess(env: Environment): CloudflareAccess {
  const token = env["CLOUDFLARE_API_TOKEN"]?.trim() ?? "";
  if (token === "") {
    throw new DeployUsageError(
      "CLOUDFLARE_API_TOKEN is not set. Create a token in Cloudflare's dashboard (My Profile, API Tokens) from the template Edit Cloudflare Workers, add D1: Edit and Zone: Read, and export it.",
    );
  }
  return {
    token,
    accountId: env["CLOUDFLARE_ACCOUNT_ID"]?.trim() || null,
    apiUrl: (
      env["CLOUDFLARE_API_BASE_URL"]?.trim() || "https://api.cloudflare.com/client/v4"
    ).replace(/\/+$/, ""),
  };
}

function parse(typed: readonly string[]) {
  try {
    return parseArgs({ args: [...typed], options: OPTIONS }).values;
  } catch (error) {
    throw new DeployUsageError((error as Error).message);
  }
}

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

function readDomain(text: string): string {
  const domain = text.trim().toLowerCase().replace(/\.$/, "");
  const labels = domain.split(".");
  if (domain.endsWith(".workers.dev"))
    throw new DeployUsageError("For an address at workers.dev, leave --domain out.");
  const isDomain = labels.length >= 2 && domain.length <= 253 && isIP(domain) === 0;
  if (isDomain && labels.every((label) => LABEL.test(label))) return domain;
  throw new DeployUsageError(
    `--domain must be a domain name such as tools.example.com, without https:// and path; got ${JSON.stringify(text)}.`,
  );
}

function readAccount(text: string): string {
  try {
    return readEmail(text);
  } catch (error) {
    if (!(error instanceof AccountError)) throw error;
    throw new DeployUsageError(`--account: ${error.message}`);
  }
}

function readWait(text: string | undefined): number {
  const seconds = text === undefined ? WAIT_SECONDS_DEFAULT : Number(text || Number.NaN);
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= WAIT_SECONDS_MAX)
    return seconds * 1_000;
  throw new DeployUsageError(`--wait must be a whole number of seconds from 1 to 3600.`);
}

function readConnectTo(text: string | undefined): Arguments["connectTo"] {
  if (text === undefined) return null;
  const [, host = "", port = ""] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  if (host !== "" && Number(port) >= 1 && Number(port) <= 65_535)
    return { host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port) };
  throw new DeployUsageError("--connect-to must be HOST:PORT, for example 192.0.2.1:443.");
}
