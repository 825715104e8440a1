import type { PriceList } from "#billing/price-list.ts";
import { readPriceList } from "#billing/price-list.ts";
import { type Config, readConfig } from "#config/config.ts";
import { ConfigError } from "#config/read-settings.ts";
import { transportKindOf } from "#email/read-mail-settings.ts";
import { hostOf, isLoopback } from "#hosts.ts";
import type { LedgerStub } from "#stores/durable-object/ledger.ts";
import type { MovingStub } from "#stores/durable-object/moves.ts";
import type { D1 } from "#stores/sql/d1-database.ts";
import { requireEdgeSettings, textsIn } from "./edge-settings.ts";
import type { AssetFetcher } from "./pages.ts";
import type { SignInBinding } from "./site-throttle.ts";

/** What the Worker of the pages is bound to (`wrangler.site.jsonc`), beside its settings, which are texts. */
export type SiteEnv = {
  LEDGER: { getByName(name: string): LedgerStub & MovingStub };
  DB: D1;
  SIGN_IN: SignInBinding;
  ASSETS?: AssetFetcher;
} & Record<string, unknown>;

export type DashboardConfig = Config & {
  publicUrl: string;
  secrets: readonly string[];
  /** Origins of the pages, PUBLIC_URL's own first. */
  origins: readonly string[];
  /** Null: nothing is sold. */
  prices: PriceList | null;
};

const BINDINGS = ["LEDGER", "DB", "SIGN_IN"];

/** The settings of the pages' Worker. Throws a `ConfigError` that tells of all that is missing or wrong. */
export function readDashboardConfig(env: SiteEnv): DashboardConfig {
  const faults = BINDINGS.filter((name) => env[name] === undefined).map(
    (name) => `The binding ${name} is missing: deploy with wrangler.site.jsonc.`,
  );
  const texts = textsIn(env);
  const config = readTexts(texts, faults);
  requireEdgeSettings(texts, faults, " -c wrangler.site.jsonc");
  const { publicUrl = null, secrets = null } = config ?? {};
  const isTryOut = publicUrl !== null && isLoopback(hostOf(publicUrl));
  if (config !== null) faults.push(...faultsOfMail(config.mail, isTryOut));
  if (config !== null) faults.push(...faultsOfWebhooks(config.webhookNetworks, isTryOut));
  // Where other settings are wrong, what is wrong with the prices is told as well.
  const prices = readPrices(texts["TOOLBOOTH_PRICES"] ?? "", faults);
  if (faults.length > 0 || config === null || publicUrl === null || secrets === null) {
    throw new ConfigError(faults.join("\n"));
  }
  return { ...config, publicUrl, secrets, prices, origins: originsOf(publicUrl, isTryOut) };
}

function readTexts(texts: Record<string, string>, faults: string[]): Config | null {
  try {
    return readConfig(texts);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    faults.push(error.message);
    return null;
  }
}

/** There are no files here. */
function readPrices(text: string, faults: string[]): PriceList | null {
  if (text === "") return null;
  if (!text.trimStart().startsWith("{")) {
    faults.push(
      "At the edge TOOLBOOTH_PRICES is the price list itself, its JSON: `npx wrangler secret put TOOLBOOTH_PRICES -c wrangler.site.jsonc < prices.json`.",
    );
    return null;
  }
  const { prices, faults: found } = readPriceList(text);
  faults.push(...found.map((fault) => `TOOLBOOTH_PRICES: ${fault}`));
  return prices;
}

function faultsOfWebhooks(networks: Config["webhookNetworks"], isTryOut: boolean): string[] {
  if (networks === "public" || isTryOut) return [];
  return [
    "At the edge TOOLBOOTH_WEBHOOK_NETWORKS is public: nothing private can be reached from there. Leave it out.",
  ];
}

function faultsOfMail(mail: Config["mail"], isTryOut: boolean): string[] {
  if (mail.smtp !== null) {
    return ["SMTP_URL cannot be used at the edge: set MAIL_API_TOKEN instead."];
  }
  if (transportKindOf(mail) !== "outbox" || isTryOut) return [];
  return [
    "MAIL_API_TOKEN and MAIL_FROM must be set: without letters nobody can confirm an address.",
  ];
}

/** On one's own machine the names that it has for itself are the same service. */
function originsOf(publicUrl: string, isTryOut: boolean): string[] {
  const own = new URL(publicUrl);
  if (!isTryOut) return [own.origin];
  const names = ["127.0.0.1", "localhost", "[::1]"].map((name) => {
    const other = new URL(own);
    other.hostname = name;
    return other.origin;
  });
  return [...new Set([own.origin, ...names])];
}
