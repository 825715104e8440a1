import { STARTER_CREDITS_DEFAULT, STARTER_DAYS_DEFAULT } from "./limits.ts";
import { nearestName } from "./tools/nearest-name.ts";

/**
 * The settings, read once from the environment by the entry, checked in one pass and passed down as values.
 * All faults come in one message. An unknown `TOOLBOOTH_*` name is refused: a misspelt limit must not be silence.
 * An empty value counts as unset.
 */
export type Config = Readonly<{
  port: number;
  host: string;
  dataDir: string;
  /** Null: made from the address that is listened on. No slash at its end. */
  publicUrl: string | null;
  rateLimit: number;
  metricsToken: string | null;
  /** Null: made once and kept with the data. The first signs, all verify. */
  secrets: readonly string[] | null;
  starterCredits: number;
  starterDays: number;
  foldAfterDays: number;
  logLevel: (typeof LOG_LEVELS)[number];
  toolThreads: number | null;
}>;

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;

type Setting = { name: string; fallback: string; meaning: string };

/** Every setting with its default and meaning: `docs/settings.md` shows this table, and a test compares them. */
export const SETTINGS: readonly Setting[] = [
  { name: "PORT", fallback: "8787", meaning: "Port to listen on; 0 takes a free one" },
  {
    name: "HOST",
    fallback: "127.0.0.1",
    meaning: "Address to listen on; 0.0.0.0 for every interface",
  },
  { name: "DATA_DIR", fallback: "./data", meaning: "Folder of the database" },
  {
    name: "DATABASE_URL",
    fallback: "",
    meaning: "Must be unset: this version keeps its data in SQLite, in DATA_DIR",
  },
  {
    name: "PUBLIC_URL",
    fallback: "http://HOST:PORT",
    meaning: "Base of the links in answers; never taken from a request",
  },
  {
    name: "RATE_LIMIT",
    fallback: "100",
    meaning: "Calls a second for each account, bursts of twice as many; 0 for no limit",
  },
  {
    name: "METRICS_TOKEN",
    fallback: "",
    meaning: "Bearer token for /metrics; unset: only callers on this machine",
  },
  {
    name: "SECRET",
    fallback: "",
    meaning:
      "At least 16 characters; unset: made once and kept with the data. A comma-separated list signs with the first and verifies with all",
  },
  {
    name: "TOOLBOOTH_STARTER_CREDITS",
    fallback: String(STARTER_CREDITS_DEFAULT),
    meaning: "Starter credits of the demo account",
  },
  {
    name: "TOOLBOOTH_STARTER_DAYS",
    fallback: String(STARTER_DAYS_DEFAULT),
    meaning: "Days until starter credits expire",
  },
  {
    name: "TOOLBOOTH_FOLD_AFTER_DAYS",
    fallback: "30",
    meaning:
      "Days for which calls are kept one by one, at least 2; then they are summed up by hour",
  },
  {
    name: "TOOLBOOTH_LOG_LEVEL",
    fallback: "info",
    meaning: `Least severity that is logged: ${LOG_LEVELS.join(", ")}`,
  },
  {
    name: "TOOLBOOTH_TOOL_THREADS",
    fallback: "one less than the cores, at least 1",
    meaning: "Threads for large inputs",
  },
];

/** What is wrong with the settings, one sentence a line. */
export class ConfigFault extends Error {}

export function readConfig(env: Record<string, string | undefined>): Config {
  const faults: string[] = [];
  const given = (name: string) => (env[name] === "" ? undefined : env[name]);

  const whole = (name: string, fallback: number, min: number, max: number): number => {
    const text = given(name);
    if (text === undefined) return fallback;
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    faults.push(`${name} must be a whole number from ${min} to ${max}; got "${text}".`);
    return fallback;
  };

  const port = whole("PORT", 8787, 0, 65_535);
  const host = given("HOST") ?? "127.0.0.1";
  const config: Config = {
    port,
    host,
    dataDir: given("DATA_DIR") ?? "./data",
    publicUrl: readPublicUrl(given("PUBLIC_URL"), faults),
    rateLimit: whole("RATE_LIMIT", 100, 0, 1_000_000),
    metricsToken: given("METRICS_TOKEN") ?? null,
    secrets: readSecrets(given("SECRET"), faults),
    starterCredits: whole("TOOLBOOTH_STARTER_CREDITS", STARTER_CREDITS_DEFAULT, 0, 1_000_000_000),
    starterDays: whole("TOOLBOOTH_STARTER_DAYS", STARTER_DAYS_DEFAULT, 1, 36_500),
    // Idempotency looks back 24 hours and reversals look for a debit by its row, so rows stay twice as long.
    foldAfterDays: whole("TOOLBOOTH_FOLD_AFTER_DAYS", 30, 2, 36_500),
    logLevel: readLogLevel(given("TOOLBOOTH_LOG_LEVEL"), faults),
    toolThreads:
      given("TOOLBOOTH_TOOL_THREADS") === undefined
        ? null
        : whole("TOOLBOOTH_TOOL_THREADS", 1, 1, 256),
  };
  if (given("DATABASE_URL") !== undefined) {
    faults.push(
      "DATABASE_URL is set, but this version keeps its data in SQLite only, in DATA_DIR. Unset it.",
    );
  }
  faults.push(...unknownNames(env));
  if (faults.length > 0) throw new ConfigFault(faults.join("\n"));
  return Object.freeze(config);
}

/** Whether an address is reached from this machine alone. */
export const isLoopback = (host: string) =>
  host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);

/** A base URL for an address: IPv6 in brackets. */
export const urlOf = (host: string, port: number) =>
  `http://${host.includes(":") ? `[${host}]` : host}:${port}`;

function readPublicUrl(text: string | undefined, faults: string[]): string | null {
  if (text === undefined) return null;
  const url = URL.parse(text);
  const plain = url !== null && url.search + url.hash + url.username + url.password === "";
  if (plain && /^https?:$/.test(url.protocol)) {
    return url.href.replace(/\/+$/, "");
  }
  // Not repeated: it may hold a password.
  faults.push(
    "PUBLIC_URL must be an http or https address without user, password, query and fragment.",
  );
  return null;
}

const SECRET_CHARS_MIN = 16;

function readSecrets(text: string | undefined, faults: string[]): string[] | null {
  if (text === undefined) return null;
  const secrets = text.split(",").map((secret) => secret.trim());
  // The value itself is never repeated: it would end in a log.
  if (secrets.some((secret) => secret.length < SECRET_CHARS_MIN)) {
    faults.push(
      `SECRET must have at least ${SECRET_CHARS_MIN} characters (each one of a comma-separated list).`,
    );
  }
  return secrets;
}

function readLogLevel(text: string | undefined, faults: string[]): Config["logLevel"] {
  const level = LOG_LEVELS.find((name) => name === (text ?? "info"));
  if (level === undefined)
    faults.push(`TOOLBOOTH_LOG_LEVEL must be one of ${LOG_LEVELS.join(", ")}; got "${text}".`);
  return level ?? "info";
}

function unknownNames(env: Record<string, string | undefined>): string[] {
  const known = SETTINGS.map(({ name }) => name).filter((name) => name.startsWith("TOOLBOOTH_"));
  return Object.keys(env)
    .filter((name) => name.startsWith("TOOLBOOTH_") && !known.includes(name))
    .map((name) => {
      const nearest = nearestName(name, known);
      return `${name} is no setting${nearest === undefined ? "" : `; did you mean ${nearest}?`}`;
    });
}
