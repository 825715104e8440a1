import { type MailSettings, readMailSettings } from "#email/read-mail-settings.ts";
import { STARTER_CREDITS_DEFAULT, STARTER_DAYS_DEFAULT } from "#limits.ts";
import { parseNetwork } from "#networks.ts";
import { nearestName } from "#tools/nearest-name.ts";
import {
  ConfigError,
  checkJurisdiction,
  type Look,
  nameReader,
  type ReadText,
  readBrand,
  readContact,
  readFreeCallCredits,
  readLook,
  readOperatorToken,
  readPublicUrl,
  readRateLimit,
  readRequestLog,
  readSecrets,
  readStripe,
  type StripeSettings,
  textReader,
  wholeNumberReader,
} from "./read-settings.ts";
import { SETTING_NAMES, unknownSettings } from "./setting-names.ts";
import { LOG_LEVELS } from "./settings.ts";

/**
 * The configuration of a node, read once from the environment and passed down as a value. One error reports all invalid
 * settings. An unknown `TOOLBOOTH_*` name is also an error, so that a misspelled limit is noticed.
 */
export type Config = Readonly<{
  port: number;
  host: string;
  dataDir: string;
  /** Null for SQLite in `dataDir`. */
  databaseUrl: string | null;
  /** No trailing slash. Null to derive it from the listening address. */
  publicUrl: string | null;
  /** The name of the service, and what new keys begin with (`brand.ts`). */
  name: string;
  keyPrefix: string;
  /** Where customers reach the operator: an email address or an https URL. */
  contact: string | null;
  look: Look;
  rateLimit: number;
  metricsToken: string | null;
  /** The first one signs, all of them verify. Null for a secret that is generated once and stored with the data. */
  secrets: readonly string[] | null;
  freeCallCredits: number;
  starterCredits: number;
  starterDays: number;
  /** Null if customers cannot pay here. */
  stripe: StripeSettings | null;
  webhookNetworks: (typeof WEBHOOK_NETWORKS)[number];
  /** `keptDays` 0: there is no request log. */
  requestLog: { keptDays: number; keptMax: number };
  logLevel: (typeof LOG_LEVELS)[number];
  toolThreads: number;
  /** The names of the tools that come with Toolbooth and are offered. Null for all. */
  builtInTools: readonly string[] | null;
  mail: MailSettings;
  /** URL at which to report vulnerabilities: mailto or https. */
  securityContact: string | null;
  signUp: (typeof SIGN_UP)[number];
  /** The token of the operator API. Null: it is served through the socket in the data folder only. */
  operatorToken: string | null;
  /** Addresses and networks of proxies whose X-Forwarded-For header is trusted. */
  trustedProxies: readonly string[];
  /** Social sign-in providers that are set. */
  providers: Readonly<Partial<Record<ProviderName, Provider>>>;
}>;

export type ProviderName = "github" | "google";
export type Provider = { clientId: string; clientSecret: string };

const SIGN_UP = ["open", "closed"] as const;
const WEBHOOK_NETWORKS = ["public", "any"] as const;

/** Adds what is wrong to `problems` and returns null then, so that one error reports other settings too. */
export function collectConfig(
  env: Record<string, string | undefined>,
  problems: string[],
): Config | null {
  try {
    return readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(error.message);
    return null;
  }
}

export function readConfig(env: Record<string, string | undefined>): Config {
  const problems: string[] = [];
  const read = textReader(env);
  const readNumber = wholeNumberReader(read, problems);
  const readName = nameReader(read, problems);

  checkJurisdiction(read, problems);
  const port = readNumber("PORT", 8787, 0, 65_535);
  const host = read("HOST") ?? "127.0.0.1";
  const config: Config = {
    port,
    host,
    dataDir: read("DATA_DIR") ?? "./data",
    databaseUrl: readDatabaseUrl(read("DATABASE_URL"), problems),
    publicUrl: readPublicUrl(read("PUBLIC_URL"), problems),
    ...readBrand(read, problems),
    contact: readContact(read, problems),
    look: readLook(read, problems),
    rateLimit: readRateLimit(readNumber),
    metricsToken: readMetricsToken(read("METRICS_TOKEN"), problems),
    secrets: readSecrets(read("SECRET"), problems),
    freeCallCredits: readFreeCallCredits(readNumber),
    starterCredits: readNumber(
      "TOOLBOOTH_STARTER_CREDITS",
      STARTER_CREDITS_DEFAULT,
      0,
      1_000_000_000,
    ),
    starterDays: readNumber("TOOLBOOTH_STARTER_DAYS", STARTER_DAYS_DEFAULT, 1, 36_500),
    stripe: readStripe(read, problems),
    webhookNetworks: readName("TOOLBOOTH_WEBHOOK_NETWORKS", WEBHOOK_NETWORKS, "public"),
    requestLog: readRequestLog(readNumber),
    logLevel: readName("TOOLBOOTH_LOG_LEVEL", LOG_LEVELS, "info"),
    toolThreads: readNumber("TOOLBOOTH_TOOL_THREADS", 1, 1, 256),
    builtInTools: readBuiltInTools(read("TOOLBOOTH_BUILT_IN_TOOLS")),
    mail: readMail(read, problems),
    securityContact: readSecurityContact(read("TOOLBOOTH_SECURITY_CONTACT"), problems),
    signUp: readName("TOOLBOOTH_SIGN_UP", SIGN_UP, "open"),
    operatorToken: readOperatorToken(read("TOOLBOOTH_OPERATOR_TOKEN"), problems),
    trustedProxies: readProxies(read("TOOLBOOTH_TRUSTED_PROXIES"), problems),
    providers: readProviders(read, problems),
  };
  problems.push(...unknownNames(env));
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return Object.freeze(config);
}

function readDatabaseUrl(text: string | undefined, problems: string[]): string | null {
  if (text === undefined) return null;
  const url = URL.parse(text);
  if (url !== null && /^postgres(?:ql)?:$/.test(url.protocol) && url.pathname.length > 1)
    return text;
  // The message omits the value because it may contain a password.
  problems.push("DATABASE_URL must look like postgres://user:password@host:5432/database.");
  return null;
}

/** The message omits the token. */
function readMetricsToken(text: string | undefined, problems: string[]): string | null {
  if (text !== undefined && !/^[\x21-\x7e]+$/.test(text))
    problems.push("METRICS_TOKEN must be printable ASCII without spaces or line breaks.");
  return text ?? null;
}

/** Returns the base URL of a host and port; an IPv6 address in brackets. */
export const urlOf = (host: string, port: number) =>
  `http://${host.includes(":") ? `[${host}]` : host}:${port}`;

function readMail(read: ReadText, problems: string[]): MailSettings {
  const mail = readMailSettings({
    smtpUrl: read("SMTP_URL"),
    apiUrl: read("MAIL_API_URL"),
    apiToken: read("MAIL_API_TOKEN"),
    mailFrom: read("MAIL_FROM"),
    name: read("TOOLBOOTH_NAME"),
  });
  problems.push(...mail.problems);
  return mail.settings;
}

/** An email address alone becomes a mailto URL (RFC 9116, section 2.5.3). */
function readSecurityContact(text: string | undefined, problems: string[]): string | null {
  if (text === undefined) return null;
  const url = /^[^\s:/@]+@[^\s:/@]+$/.test(text) ? `mailto:${text}` : text;
  if (/^(?:https:\/\/|mailto:[^@]+@)\S+$/.test(url) && URL.canParse(url)) return url;
  problems.push(
    `TOOLBOOTH_SECURITY_CONTACT must be an email address or an https URL; got "${text}".`,
  );
  return null;
}

/** The loader of tools knows the names. */
function readBuiltInTools(text: string | undefined): string[] | null {
  if (text === undefined) return null;
  const names = text.split(",").map((name) => name.trim());
  return text.trim() === "none" ? [] : names.filter((name) => name !== "");
}

function readProxies(text: string | undefined, problems: string[]): string[] {
  const proxies = text?.split(",").map((each) => each.trim()) ?? [];
  for (const each of proxies) {
    if (parseNetwork(each) !== null) continue;
    problems.push(
      `TOOLBOOTH_TRUSTED_PROXIES must list IP addresses or networks such as 10.0.0.0/8; got "${each}".`,
    );
  }
  return proxies;
}

function readProviders(read: ReadText, problems: string[]): Config["providers"] {
  const providers: Partial<Record<ProviderName, Provider>> = {};
  for (const name of ["github", "google"] as const) {
    const setting = `TOOLBOOTH_${name.toUpperCase()}_CLIENT`;
    const client = read(setting);
    if (client === undefined) continue;
    // The message omits the value because it contains the secret.
    const [, clientId, clientSecret] = /^([^:\s]+):(\S+)$/.exec(client) ?? [];
    if (clientId !== undefined && clientSecret !== undefined)
      providers[name] = { clientId, clientSecret };
    else problems.push(`${setting} must be the client ID and the client secret, as in id:secret.`);
  }
  return providers;
}

const unknownNames = (env: Record<string, string | undefined>): string[] =>
  unknownSettings(env).map((name) => {
    // Without the prefix, which would make any two names seem alike, and which PORT and others lack.
    const short = nearestName(withoutPrefix(name), SETTING_NAMES.map(withoutPrefix));
    const nearest = SETTING_NAMES.find((each) => withoutPrefix(each) === short);
    return `Unknown setting ${name}.${nearest === undefined ? "" : ` Did you mean ${nearest}?`}`;
  });

const withoutPrefix = (name: string) => name.replace(/^TOOLBOOTH_/, "");
