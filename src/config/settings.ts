import { NAME_CHARS_MAX, TOOLBOOTH } from "#brand.ts";
import {
  FREE_CALL_CREDITS_DEFAULT,
  MAIL_API_URL_DEFAULT,
  REQUEST_LOG_DAYS_DEFAULT,
  STARTER_CREDITS_DEFAULT,
  STARTER_DAYS_DEFAULT,
} from "#limits.ts";
import { JURISDICTIONS } from "./read-settings.ts";
import {
  CALL_SETTING_NAMES,
  NODE_SETTING_NAMES,
  SETTING_NAMES,
  type SettingName,
} from "./setting-names.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;

/** What the documentation says about a setting. */
type Description = { fallback: string; meaning: string };

const DESCRIPTIONS: Record<SettingName, Description> = {
  PORT: { fallback: "8787", meaning: "Port to listen on; 0 picks a free port" },
  HOST: {
    fallback: "127.0.0.1",
    meaning: "Address to listen on; 0.0.0.0 listens on every interface",
  },
  DATA_DIR: { fallback: "./data", meaning: "Directory that holds the database" },
  DATABASE_URL: {
    fallback: "",
    meaning:
      "PostgreSQL database shared by a fleet, such as postgres://user:password@host:5432/toolbooth. Unset: SQLite in DATA_DIR",
  },
  PUBLIC_URL: {
    fallback: "http://HOST:PORT",
    meaning:
      "Base URL of links in responses, pages and emails, and the only address at which users can sign in. It is never taken from a request. Unset with HOST=0.0.0.0: http://localhost:PORT",
  },
  RATE_LIMIT: {
    fallback: "100",
    meaning:
      "Calls per second for each account, with bursts of twice as many; 0 disables the limit",
  },
  METRICS_TOKEN: {
    fallback: "",
    meaning:
      "Bearer token for /metrics. Unset: only clients on the same machine can read /metrics, at localhost or a loopback address",
  },
  SECRET: {
    fallback: "",
    meaning:
      "Secret of at least 16 characters that signs keys, sessions and links, and encrypts webhook secrets. Unset: the service generates one in DATA_DIR/secret, or with DATABASE_URL in PostgreSQL, which is less safe. Required on Cloudflare. With a comma-separated list, the first one signs and all of them verify",
  },
  SMTP_URL: {
    fallback: "",
    meaning:
      "SMTP server, such as smtp://user:password@host:587. Unset: the service writes emails to DATA_DIR/outbox",
  },
  MAIL_FROM: {
    fallback: "",
    meaning:
      "Sender of emails, such as Toolbooth <hello@example.org>. Without a name in it, emails use TOOLBOOTH_NAME. Required with SMTP_URL and with MAIL_API_TOKEN",
  },
  MAIL_API_TOKEN: {
    fallback: "",
    meaning:
      "Alternative to SMTP_URL: bearer token of an email provider with an API like Resend's. Required on Cloudflare Workers, which cannot use SMTP",
  },
  MAIL_API_URL: {
    fallback: MAIL_API_URL_DEFAULT,
    meaning: "Endpoint of that provider's API. Used with MAIL_API_TOKEN",
  },
  STRIPE_SECRET_KEY: {
    fallback: "",
    meaning:
      "Secret key (sk_…) or restricted key (rk_…) of your Stripe account. With STRIPE_WEBHOOK_SECRET and TOOLBOOTH_PRICES, customers can buy credits. Unset: pages tell customers to contact you",
  },
  STRIPE_WEBHOOK_SECRET: {
    fallback: "",
    meaning: "Signing secret (whsec_…) of the Stripe webhook endpoint PUBLIC_URL/webhooks/stripe",
  },
  TOOLBOOTH_NAME: {
    fallback: TOOLBOOTH.name,
    meaning: `Name of your service, at most ${NAME_CHARS_MAX} characters: on pages, in emails, in the OpenAPI description and for agents. A service with its own name shows customers neither our name nor the documentation for operators`,
  },
  TOOLBOOTH_LOGO: {
    fallback: "",
    meaning:
      "Logo of your service, beside its name and as the icon of its pages: the path of an SVG or PNG file of at most 100 KB, or the SVG itself (a value that begins with <; required on Cloudflare Workers). Unset: the first character of TOOLBOOTH_NAME",
  },
  TOOLBOOTH_ACCENT: {
    fallback: "",
    meaning:
      "Color of links, buttons and marks on pages, as #rrggbb. Pages darken or lighten it where text would be unreadable, and the server then warns at the start",
  },
  TOOLBOOTH_HEADLINE: {
    fallback: "",
    meaning: "Headline of the front page, at most 80 characters",
  },
  TOOLBOOTH_LEAD: {
    fallback: "",
    meaning: "Text below the headline of the front page, at most 400 characters",
  },
  TOOLBOOTH_CONTACT: {
    fallback: "",
    meaning:
      "Email address or https URL at which customers reach you. Pages, errors and emails name it; the contact of TOOLBOOTH_PRICES takes precedence for buying credits",
  },
  TOOLBOOTH_KEY_PREFIX: {
    fallback: TOOLBOOTH.keyPrefix,
    meaning:
      "What new API keys begin with: 2 to 8 lowercase letters and an underscore. Keys with an earlier prefix stay valid",
  },
  TOOLBOOTH_SECURITY_CONTACT: {
    fallback: "",
    meaning:
      "Email address or https URL at which to report vulnerabilities, for /.well-known/security.txt. Unset: there is no such file",
  },
  TOOLBOOTH_SIGN_UP: {
    fallback: "open",
    meaning:
      "Who may sign up: open (everyone) or closed (only people whose account the operator created)",
  },
  TOOLBOOTH_TRUSTED_PROXIES: {
    fallback: "",
    meaning:
      "Comma-separated addresses or networks (10.0.0.0/8) of proxies whose X-Forwarded-For header the service trusts. Unset: all users behind a proxy count as one client",
  },
  TOOLBOOTH_GITHUB_CLIENT: {
    fallback: "",
    meaning:
      "Client ID and client secret of a GitHub OAuth app, as id:secret, which enables sign-in with GitHub. Callback URL: PUBLIC_URL/dashboard/auth/callback/github",
  },
  TOOLBOOTH_GOOGLE_CLIENT: {
    fallback: "",
    meaning:
      "Client ID and client secret of a Google OAuth client, as id:secret, which enables sign-in with Google. Callback URL: PUBLIC_URL/dashboard/auth/callback/google",
  },
  TOOLBOOTH_FREE_CALL_CREDITS: {
    fallback: String(FREE_CALL_CREDITS_DEFAULT),
    meaning:
      "The first successful call of an account is free if its price is at most this many credits; 0 disables the free call",
  },
  TOOLBOOTH_STARTER_CREDITS: {
    fallback: String(STARTER_CREDITS_DEFAULT),
    meaning: "Credits that a new account starts with; 0 for none",
  },
  TOOLBOOTH_STARTER_DAYS: {
    fallback: String(STARTER_DAYS_DEFAULT),
    meaning: "Days until starter credits expire",
  },
  TOOLBOOTH_PRICES: {
    fallback: "",
    meaning:
      "Price list of the credits you sell: the path of a JSON file, or the JSON itself (a value that begins with {; required on Cloudflare Workers). Unset: nothing is for sale",
  },
  TOOLBOOTH_STRIPE_API: {
    fallback: "https://api.stripe.com",
    meaning: "Base URL of Stripe's API, for tests against a substitute",
  },
  TOOLBOOTH_WEBHOOK_NETWORKS: {
    fallback: "public",
    meaning:
      "Which networks webhooks may be sent to: public, or any (private networks and this machine too)",
  },
  TOOLBOOTH_JURISDICTION: {
    fallback: "",
    meaning: `On Cloudflare: the jurisdiction in which all accounts live: ${JURISDICTIONS.join(", ")}. Choose it before the first deployment, and never change it. A server rejects this setting`,
  },
  TOOLBOOTH_REQUEST_LOG_DAYS: {
    fallback: String(REQUEST_LOG_DAYS_DEFAULT),
    meaning:
      "How many days the request log keeps each call, with its status, latency and client address, for the page Requests; 0 switches it off and deletes it",
  },
  TOOLBOOTH_OPERATOR_TOKEN: {
    fallback: "",
    meaning:
      "Bearer token of at least 32 characters for the operator API, which commands with --remote use. Unset: only commands in the data folder of a running server work",
  },
  TOOLBOOTH_LOG_LEVEL: {
    fallback: "info",
    meaning: `Lowest level that is logged: ${LOG_LEVELS.join(", ")}`,
  },
  TOOLBOOTH_TOOL_THREADS: {
    fallback: "1",
    meaning:
      "Worker threads that process large inputs, and threads for each of your own tools (at least 16 for those with the effect `read` or `act`). With more than two cores, the number of cores less one uses all of them",
  },
  TOOLBOOTH_BUILT_IN_TOOLS: {
    fallback: "",
    meaning:
      "Which built-in tools are offered beside your own: names separated by commas, such as hash,uuid, or none. Unset: all",
  },
};

/** Every setting with its default and what it does. The documentation shows this table. */
export const SETTINGS = SETTING_NAMES.map((name) => ({
  name,
  ...DESCRIPTIONS[name],
  isOfServer: NODE_SETTING_NAMES.includes(name),
  isOfCalls: CALL_SETTING_NAMES.includes(name),
}));
