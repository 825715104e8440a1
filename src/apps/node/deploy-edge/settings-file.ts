import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ConfigError } from "#config/read-settings.ts";
import {
  API_WORKER_SETTING_NAMES,
  CLIENT_NAMES,
  NODE_SETTING_NAMES,
  SETTING_NAMES,
} from "#config/setting-names.ts";
import { readWorkerSettings } from "../../edge/settings.ts";
import { readDashboardConfig, type SiteEnv } from "../../edge/site-settings.ts";
import { requirePrivateFile, writePrivateFile } from "../private-file.ts";
import { DeployError } from "./deploy-error.ts";

/**
 * The settings of a deployment: one JSON object with the settings of both Workers by name, and TOOLBOOTH_KEY, the key of the first
 * call. The operator edits it. It contains secrets, so it is private and outside of the repository. A value is a text, a number, true
 * or false; `null` deletes the setting on Cloudflare; the price list may be JSON itself.
 */
export type Settings = Readonly<Record<string, string | null>>;

/** Returns the settings; null if there is no file. Throws if it cannot be read or contains anything else. */
export function readSettingsFile(file: string): Settings | null {
  if (!requirePrivateFile(file)) return null;
  let object: unknown;
  try {
    object = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new DeployError(
      code === undefined ? `${file} is not JSON: ${message}.` : `${file} cannot be read (${code}).`,
      `Correct ${file}. It has the only copy of SECRET, so do not delete it.`,
    );
  }
  if (typeof object !== "object" || object === null || Array.isArray(object))
    throw new DeployError(`${file} does not contain a JSON object.`, "Correct it.");
  const entries = Object.entries(object as Record<string, unknown>);
  const known = new Set<string>([...SETTING_NAMES, ...CLIENT_NAMES]);
  const unknown = entries.map(([name]) => name).filter((name) => !known.has(name));
  if (unknown.length > 0) {
    throw new DeployError(
      `${file} has unknown settings: ${unknown.join(", ")}.`,
      "Correct or remove them. docs/configuration.md lists the names.",
    );
  }
  return Object.fromEntries(entries.map(([name, value]) => [name, textOf(file, name, value)]));
}

/** An empty text is a setting that the operator has not filled in yet. */
function textOf(file: string, name: string, value: unknown): string | null {
  if (value === null || typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (name === "TOOLBOOTH_PRICES" && typeof value === "object") return JSON.stringify(value);
  throw new DeployError(`${file}: ${name} must be a text.`, "Put the value in quotes.");
}

/** Adds or changes entries and keeps everything else as the operator wrote it. */
export function saveSettings(file: string, changes: Readonly<Record<string, string>>): void {
  const before = requirePrivateFile(file)
    ? (JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>)
    : {};
  if (Object.entries(changes).every(([name, value]) => before[name] === value)) return;
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writePrivateFile(file, `${JSON.stringify({ ...before, ...changes }, null, 2)}\n`);
}

/** Returns the settings of each Worker. Both need the same SECRET and PUBLIC_URL, because calls through MCP run in the site Worker. */
export function settingsOfWorkers(settings: Settings): { api: Settings; site: Settings } {
  const pick = (names: readonly string[]): Settings =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = settings[name];
        return value === undefined || value === "" ? [] : [[name, value]];
      }),
    );
  const ofServers: readonly string[] = NODE_SETTING_NAMES;
  return {
    api: pick(API_WORKER_SETTING_NAMES),
    site: pick(SETTING_NAMES.filter((name) => !ofServers.includes(name))),
  };
}

/**
 * Checks the settings as the Workers do, because a Worker with wrong settings responds with 503. `deployed` names those that the site
 * Worker has already: they may be missing in the file.
 */
export function checkSettings(
  settings: Settings,
  deployed: ReadonlySet<string>,
  file: string,
): void {
  const texts = Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) =>
      value === null || value === "" ? [] : [[name, value]],
    ),
  );
  for (const [name, value] of Object.entries(PLACEHOLDERS)) {
    if (texts[name] === undefined && settings[name] !== null && deployed.has(name))
      texts[name] = value;
  }
  const bindings = { LEDGER: {}, DB: {}, SIGN_IN: {} };
  const problems = new Set([
    ...problemsIn(() => readWorkerSettings(texts)),
    ...problemsIn(() => readDashboardConfig({ ...texts, ...bindings } as unknown as SiteEnv)),
  ]);
  if (problems.size === 0) return;
  throw new DeployError(
    `The settings are not complete or not valid:\n${[...problems].map((problem) => `  - ${problem}`).join("\n")}`,
    `Correct ${file}.`,
  );
}

/** Stand for values that are deployed and cannot be read, in the check only. */
const PLACEHOLDERS = {
  SECRET: "a secret that is deployed already",
  MAIL_API_TOKEN: "deployed",
  MAIL_FROM: "deployed@example.com",
  STRIPE_SECRET_KEY: "sk_live_deployed",
  STRIPE_WEBHOOK_SECRET: "whsec_deployed",
  TOOLBOOTH_PRICES:
    '{"currency":"eur","packs":[{"id":"deployed","name":"Deployed","credits":1,"price":"1.00"}]}',
  TOOLBOOTH_GITHUB_CLIENT_ID: "deployed",
  TOOLBOOTH_GITHUB_CLIENT_SECRET: "deployed",
  TOOLBOOTH_GOOGLE_CLIENT_ID: "deployed",
  TOOLBOOTH_GOOGLE_CLIENT_SECRET: "deployed",
};

function problemsIn(read: () => unknown): string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    // The Workers name the command that sets a secret; here the file does.
    return error.message
      .split("\n")
      .map((problem) => problem.replace(/ Run `npx wrangler secret put [^`]*`\.$/, ""));
  }
}
