import {
  FREE_CALL_CREDITS_DEFAULT,
  MAIL_API_URL_DEFAULT,
  STARTER_CREDITS_DEFAULT,
  STARTER_DAYS_DEFAULT,
} from "#limits.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;

type Setting = { name: string; fallback: string; meaning: string };

/** Every setting with its default and meaning: `docs/configuration.md` shows this table. */
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
    meaning:
      "PostgreSQL that the nodes of a fleet share, such as postgres://user:password@host:5432/toolbooth; unset: SQLite in DATA_DIR",
  },
  {
    name: "PUBLIC_URL",
    fallback: "http://HOST:PORT",
    meaning:
      "Base of links in answers, pages and letters, and the address at which people sign in; never taken from a request. Unset with HOST 0.0.0.0: http://localhost:PORT",
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
    name: "SMTP_URL",
    fallback: "",
    meaning:
      "Mail server, such as smtp://user:password@host:587; unset: letters stay in DATA_DIR/outbox",
  },
  {
    name: "MAIL_FROM",
    fallback: "",
    meaning:
      "Whom letters come from, such as Toolbooth <post@example.org>; needed with SMTP_URL and with MAIL_API_TOKEN",
  },
  {
    name: "MAIL_API_TOKEN",
    fallback: "",
    meaning:
      "Instead of SMTP_URL: letters go by HTTPS to a provider that takes them as Resend does, with this bearer token. The only way at Cloudflare's edge",
  },
  {
    name: "MAIL_API_URL",
    fallback: MAIL_API_URL_DEFAULT,
    meaning: "Where that provider takes letters; read with MAIL_API_TOKEN",
  },
  {
    name: "STRIPE_SECRET_KEY",
    fallback: "",
    meaning:
      "With the next one and TOOLBOOTH_PRICES: credits are paid through Stripe, by the secret key (sk_…) or a restricted one (rk_…) of your account there; unset: pages say how to get credits from you",
  },
  {
    name: "STRIPE_WEBHOOK_SECRET",
    fallback: "",
    meaning: "Of the webhook endpoint at Stripe that leads to PUBLIC_URL/webhooks/stripe (whsec_…)",
  },
  {
    name: "TOOLBOOTH_SIGN_UP",
    fallback: "open",
    meaning: "Who may sign up: open, or closed for those alone whose account the operator has made",
  },
  {
    name: "TOOLBOOTH_TRUSTED_PROXIES",
    fallback: "",
    meaning:
      "Comma-separated addresses or networks (10.0.0.0/8) of proxies whose X-Forwarded-For is believed; without it all visitors behind a proxy count as one",
  },
  {
    name: "TOOLBOOTH_GITHUB_CLIENT_ID",
    fallback: "",
    meaning:
      "With the next one: sign-in with GitHub; callback PUBLIC_URL/dashboard/auth/callback/github",
  },
  {
    name: "TOOLBOOTH_GITHUB_CLIENT_SECRET",
    fallback: "",
    meaning: "Of the OAuth app at GitHub",
  },
  {
    name: "TOOLBOOTH_GOOGLE_CLIENT_ID",
    fallback: "",
    meaning:
      "With the next one: sign-in with Google; callback PUBLIC_URL/dashboard/auth/callback/google",
  },
  {
    name: "TOOLBOOTH_GOOGLE_CLIENT_SECRET",
    fallback: "",
    meaning: "Of the OAuth client at Google",
  },
  {
    name: "TOOLBOOTH_FREE_CALL_CREDITS",
    fallback: String(FREE_CALL_CREDITS_DEFAULT),
    meaning:
      "The first successful call of an account is free where its price is at most this many credits; 0 for no free call",
  },
  {
    name: "TOOLBOOTH_STARTER_CREDITS",
    fallback: String(STARTER_CREDITS_DEFAULT),
    meaning: "Starter credits of a new account; 0 for none",
  },
  {
    name: "TOOLBOOTH_STARTER_DAYS",
    fallback: String(STARTER_DAYS_DEFAULT),
    meaning: "Days until starter credits expire",
  },
  {
    name: "TOOLBOOTH_PRICES",
    fallback: "",
    meaning:
      "Price list of the credits that are sold: path of a JSON file, at Cloudflare's edge the JSON itself (a text that begins with { is that everywhere); unset: nothing is sold",
  },
  {
    name: "TOOLBOOTH_STRIPE_API",
    fallback: "https://api.stripe.com",
    meaning: "Another address of Stripe's interface, for trying out",
  },
  {
    name: "TOOLBOOTH_WEBHOOK_NETWORKS",
    fallback: "public",
    meaning:
      "Where people may have webhooks sent: public, or any for private networks and this machine as well",
  },
  {
    name: "TOOLBOOTH_ROLL_UP_AFTER_DAYS",
    fallback: "30",
    meaning:
      "Days for which calls are kept one by one, at least 2; then they are summed up by hour",
  },
  {
    name: "TOOLBOOTH_OPERATOR_TOKEN",
    fallback: "",
    meaning:
      "Bearer token of the operator's way in over the network, at least 32 characters, or several as name:token, separated by commas; unset: there is none",
  },
  {
    name: "TOOLBOOTH_REMOTE",
    fallback: "",
    meaning:
      "For the command line: address of a service that it works on instead of DATA_DIR, as with --remote; with TOOLBOOTH_OPERATOR_TOKEN, the first where it lists several",
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
