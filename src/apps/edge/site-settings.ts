import type { PriceList } from "#billing/price-list.ts";
import { readPriceList } from "#billing/price-list.ts";
import { type Config, collectConfig } from "#config/config.ts";
import { ConfigError } from "#config/read-settings.ts";
import { transportKindOf } from "#email/read-mail-settings.ts";
import { hostOf, isLoopback } from "#hosts.ts";
import type { ServiceConfig } from "#service/parts.ts";
import { isSvg, type Logo } from "#site/logo.ts";
import type { ObjectNamespace } from "#stores/durable-object/objects.ts";
import type { ReadinessStub } from "#stores/durable-object/readiness.ts";
import type { RequestLogStub } from "#stores/durable-object/request-log-stub.ts";
import type { BatchStub, LedgerStub, MovingStub } from "#stores/durable-object/rpc.ts";
import type { D1 } from "#stores/sql/d1-database.ts";
import type { AssetFetcher } from "./pages.ts";
import { requireEdgeSettings, textsIn } from "./settings.ts";
import type { SignInBinding } from "./site-throttle.ts";

/** The bindings of the site Worker (`wrangler.site.jsonc`), besides its settings, which are text bindings. */
export type SiteEnv = {
  LEDGER: ObjectNamespace<LedgerStub & BatchStub & MovingStub & ReadinessStub & RequestLogStub>;
  DB: D1;
  SIGN_IN: SignInBinding;
  ASSETS?: AssetFetcher;
} & Record<string, unknown>;

const BINDINGS = ["LEDGER", "DB", "SIGN_IN"];

/** Reads the settings of the site Worker. Throws a `ConfigError` that lists everything missing or invalid. */
export function readSiteConfig(env: SiteEnv): ServiceConfig {
  const problems = BINDINGS.filter((name) => env[name] === undefined).map(
    (name) => `The binding ${name} is missing. Deploy with wrangler.site.jsonc.`,
  );
  const texts = textsIn(env);
  const config = collectConfig(texts, problems);
  requireEdgeSettings(texts, problems, " -c wrangler.site.jsonc");
  const { publicUrl = null, secrets = null } = config ?? {};
  const isTryOut = publicUrl !== null && isLoopback(hostOf(publicUrl));
  if (config !== null) problems.push(...problemsOfMail(config.mail, isTryOut));
  if (config !== null) problems.push(...problemsOfWebhooks(config.webhookNetworks, isTryOut));
  // Read even if other settings are invalid, so that one error reports both.
  const prices = readPrices(texts["TOOLBOOTH_PRICES"] ?? "", problems);
  const logo = readLogoText(texts["TOOLBOOTH_LOGO"] ?? "", problems);
  if (problems.length > 0 || config === null || publicUrl === null || secrets === null) {
    throw new ConfigError(problems.join("\n"));
  }
  const origins = originsOf(publicUrl, isTryOut);
  // PUBLIC_URL is always set here, and passkeys belong to it, as on Node.
  const passkeyOrigins = origins.slice(0, 1);
  return { ...config, publicUrl, secrets, prices, logo, origins, passkeyOrigins };
}

/** Parses the price list, which must be the JSON itself because Workers have no files. */
function readPrices(text: string, problems: string[]): PriceList | null {
  if (text === "") return null;
  if (!text.trimStart().startsWith("{")) {
    problems.push(
      "On Cloudflare, TOOLBOOTH_PRICES must hold the JSON of the price list. Run `npx wrangler secret put TOOLBOOTH_PRICES -c wrangler.site.jsonc < prices.json`.",
    );
    return null;
  }
  const { prices, problems: found } = readPriceList(text);
  problems.push(...found.map((problem) => `TOOLBOOTH_PRICES: ${problem}`));
  return prices;
}

/** The SVG itself, because Workers have no files. */
function readLogoText(text: string, problems: string[]): Logo | null {
  if (text === "") return null;
  if (isSvg(text)) return { type: "image/svg+xml", text };
  problems.push(
    "On Cloudflare, TOOLBOOTH_LOGO must hold the SVG of the logo, with the namespace http://www.w3.org/2000/svg.",
  );
  return null;
}

function problemsOfWebhooks(networks: Config["webhookNetworks"], isTryOut: boolean): string[] {
  if (networks === "public" || isTryOut) return [];
  return [
    "On Cloudflare, TOOLBOOTH_WEBHOOK_NETWORKS must be public or unset; Workers cannot reach private networks.",
  ];
}

function problemsOfMail(mail: Config["mail"], isTryOut: boolean): string[] {
  if (mail.smtp !== null) {
    return ["SMTP_URL does not work on Cloudflare Workers. Set MAIL_API_TOKEN instead."];
  }
  if (transportKindOf(mail) !== "outbox" || isTryOut) return [];
  return [
    "MAIL_API_TOKEN and MAIL_FROM must be set; without email, users cannot sign in with a code.",
  ];
}

/** When running locally, all names of the machine are the same service. */
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
