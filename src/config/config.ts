import { type MailSettings, readMailSettings } from "#email/read-mail-settings.ts";
import { STARTER_CREDITS_DEFAULT, STARTER_DAYS_DEFAULT } from "#limits.ts";
import { nearestName } from "#tools/nearest-name.ts";
import {
  ConfigError,
  type Given,
  givenIn,
  readFreeCallCredits,
  readOperatorTokens,
  readPublicUrl,
  readRateLimit,
  readRollUpAfterDays,
  readSecrets,
  readStripe,
  type StripeSettings,
  wholeReader,
} from "./read-settings.ts";
import { LOG_LEVELS, SETTINGS } from "./settings.ts";

/**
 * The settings, read once from the environment by the entry, checked in one pass and passed down as values.
 * All faults come in one message. An unknown `TOOLBOOTH_*` name is refused: a misspelt limit must not be silence.
 * An empty value counts as unset.
 */
export type Config = Readonly<{
  port: number;
  host: string;
  dataDir: string;
  /** Null: SQLite in `dataDir`. */
  databaseUrl: string | null;
  /** Null: made from the address that is listened on. No slash at its end. */
  publicUrl: string | null;
  rateLimit: number;
  metricsToken: string | null;
  /** Null: made once and kept with the data. The first signs, all verify. */
  secrets: readonly string[] | null;
  freeCallCredits: number;
  starterCredits: number;
  starterDays: number;
  /** Null: nothing can be paid here. */
  stripe: StripeSettings | null;
  webhookNetworks: (typeof WEBHOOK_NETWORKS)[number];
  rollUpAfterDays: number;
  logLevel: (typeof LOG_LEVELS)[number];
  toolThreads: number | null;
  mail: MailSettings;
  signUp: (typeof SIGN_UP)[number];
  /** Tokens of operators, for the way in over the network. None: there is no such way. */
  operatorTokens: readonly { name: string; token: string }[];
  /** For the command line: the deployed service that it works on. Null: the data in `dataDir`. */
  remote: string | null;
  /** Addresses and networks of proxies whose word on a client's address is taken. */
  trustedProxies: readonly string[];
  /** Social sign-ins: those whose two settings are given. */
  providers: Readonly<Partial<Record<ProviderName, Provider>>>;
}>;

export type ProviderName = "github" | "google";
export type Provider = { clientId: string; clientSecret: string };

const SIGN_UP = ["open", "closed"] as const;
const WEBHOOK_NETWORKS = ["public", "any"] as const;

export function readConfig(env: Record<string, string | undefined>): Config {
  const faults: string[] = [];
  const given = givenIn(env);
  const whole = wholeReader(given, faults);

  const port = whole("PORT", 8787, 0, 65_535);
  const host = given("HOST") ?? "127.0.0.1";
  const config: Config = {
    port,
    host,
    dataDir: given("DATA_DIR") ?? "./data",
    databaseUrl: readDatabaseUrl(given("DATABASE_URL"), faults),
    publicUrl: readPublicUrl(given("PUBLIC_URL"), faults),
    rateLimit: readRateLimit(whole),
    metricsToken: given("METRICS_TOKEN") ?? null,
    secrets: readSecrets(given("SECRET"), faults),
    freeCallCredits: readFreeCallCredits(whole),
    starterCredits: whole("TOOLBOOTH_STARTER_CREDITS", STARTER_CREDITS_DEFAULT, 0, 1_000_000_000),
    starterDays: whole("TOOLBOOTH_STARTER_DAYS", STARTER_DAYS_DEFAULT, 1, 36_500),
    stripe: readStripe(given, faults),
    webhookNetworks: readWebhookNetworks(given("TOOLBOOTH_WEBHOOK_NETWORKS"), faults),
    rollUpAfterDays: readRollUpAfterDays(whole),
    logLevel: readLogLevel(given("TOOLBOOTH_LOG_LEVEL"), faults),
    toolThreads:
      given("TOOLBOOTH_TOOL_THREADS") === undefined
        ? null
        : whole("TOOLBOOTH_TOOL_THREADS", 1, 1, 256),
    mail: readMail(given, faults),
    signUp: readSignUp(given("TOOLBOOTH_SIGN_UP"), faults),
    operatorTokens: readOperatorTokens(given("TOOLBOOTH_OPERATOR_TOKEN"), faults),
    remote: given("TOOLBOOTH_REMOTE") ?? null,
    trustedProxies: readProxies(given("TOOLBOOTH_TRUSTED_PROXIES"), faults),
    providers: readProviders(given, faults),
  };
  faults.push(...unknownNames(env));
  if (faults.length > 0) throw new ConfigError(faults.join("\n"));
  return Object.freeze(config);
}

function readDatabaseUrl(text: string | undefined, faults: string[]): string | null {
  if (text === undefined) return null;
  const url = URL.parse(text);
  if (url !== null && /^postgres(?:ql)?:$/.test(url.protocol) && url.pathname.length > 1)
    return text;
  // Not repeated: it may hold a password.
  faults.push("DATABASE_URL must be like postgres://user:password@host:5432/database.");
  return null;
}

/** A base URL for an address: IPv6 in brackets. */
export const urlOf = (host: string, port: number) =>
  `http://${host.includes(":") ? `[${host}]` : host}:${port}`;

function readMail(given: Given, faults: string[]): MailSettings {
  const read = readMailSettings({
    smtpUrl: given("SMTP_URL"),
    apiUrl: given("MAIL_API_URL"),
    apiToken: given("MAIL_API_TOKEN"),
    mailFrom: given("MAIL_FROM"),
  });
  faults.push(...read.faults);
  return read.settings;
}

function readSignUp(text: string | undefined, faults: string[]): Config["signUp"] {
  const found = SIGN_UP.find((name) => name === (text ?? "open"));
  if (found === undefined) faults.push(`TOOLBOOTH_SIGN_UP must be open or closed; got "${text}".`);
  return found ?? "closed";
}

function readWebhookNetworks(
  text: string | undefined,
  faults: string[],
): Config["webhookNetworks"] {
  const found = WEBHOOK_NETWORKS.find((name) => name === (text ?? "public"));
  if (found === undefined)
    faults.push(`TOOLBOOTH_WEBHOOK_NETWORKS must be public or any; got "${text}".`);
  return found ?? "public";
}

function readProxies(text: string | undefined, faults: string[]): string[] {
  const proxies = text?.split(",").map((each) => each.trim()) ?? [];
  for (const each of proxies) {
    if (/^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f:.]*:[\da-f:.]*)(?:\/\d{1,3})?$/i.test(each)) continue;
    faults.push(
      `TOOLBOOTH_TRUSTED_PROXIES must list addresses or networks such as 10.0.0.0/8; got "${each}".`,
    );
  }
  return proxies;
}

function readProviders(given: Given, faults: string[]): Config["providers"] {
  const providers: Partial<Record<ProviderName, Provider>> = {};
  for (const name of ["github", "google"] as const) {
    const prefix = `TOOLBOOTH_${name.toUpperCase()}_CLIENT`;
    const clientId = given(`${prefix}_ID`);
    const clientSecret = given(`${prefix}_SECRET`);
    if (clientId !== undefined && clientSecret !== undefined) {
      providers[name] = { clientId, clientSecret };
    } else if (clientId !== undefined || clientSecret !== undefined) {
      faults.push(`${prefix}_ID and ${prefix}_SECRET go together: set both or neither.`);
    }
  }
  return providers;
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
