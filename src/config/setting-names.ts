/**
 * The name of every setting. It is a separate list so that the API Worker can check names without bundling the
 * descriptions.
 */
export const SETTING_NAMES = [
  "PORT",
  "HOST",
  "DATA_DIR",
  "DATABASE_URL",
  "PUBLIC_URL",
  "RATE_LIMIT",
  "METRICS_TOKEN",
  "SECRET",
  "SMTP_URL",
  "MAIL_FROM",
  "MAIL_API_TOKEN",
  "MAIL_API_URL",
  "STRIPE_SECRET_KEY",
  "STRIPE_WEBHOOK_SECRET",
  "TOOLBOOTH_NAME",
  "TOOLBOOTH_LOGO",
  "TOOLBOOTH_ACCENT",
  "TOOLBOOTH_HEADLINE",
  "TOOLBOOTH_LEAD",
  "TOOLBOOTH_CONTACT",
  "TOOLBOOTH_KEY_PREFIX",
  "TOOLBOOTH_SECURITY_CONTACT",
  "TOOLBOOTH_SIGN_UP",
  "TOOLBOOTH_TRUSTED_PROXIES",
  "TOOLBOOTH_GITHUB_CLIENT",
  "TOOLBOOTH_GOOGLE_CLIENT",
  "TOOLBOOTH_FREE_CALL_CREDITS",
  "TOOLBOOTH_STARTER_CREDITS",
  "TOOLBOOTH_STARTER_DAYS",
  "TOOLBOOTH_PRICES",
  "TOOLBOOTH_STRIPE_API",
  "TOOLBOOTH_WEBHOOK_NETWORKS",
  "TOOLBOOTH_JURISDICTION",
  "TOOLBOOTH_REQUEST_LOG_DAYS",
  "TOOLBOOTH_OPERATOR_TOKEN",
  "TOOLBOOTH_LOG_LEVEL",
  "TOOLBOOTH_TOOL_THREADS",
  "TOOLBOOTH_BUILT_IN_TOOLS",
] as const;

export type SettingName = (typeof SETTING_NAMES)[number];

/** Settings that calls need: the API Worker reads these, and the site Worker all. */
export const CALL_SETTING_NAMES: readonly SettingName[] = [
  "SECRET",
  "PUBLIC_URL",
  "RATE_LIMIT",
  "TOOLBOOTH_NAME",
  "TOOLBOOTH_KEY_PREFIX",
  "TOOLBOOTH_FREE_CALL_CREDITS",
  "TOOLBOOTH_JURISDICTION",
  "TOOLBOOTH_REQUEST_LOG_DAYS",
];

/** Settings of a server process, which Cloudflare Workers do not have. */
export const NODE_SETTING_NAMES: readonly SettingName[] = [
  "PORT",
  "HOST",
  "DATA_DIR",
  "DATABASE_URL",
  "METRICS_TOKEN",
  "TOOLBOOTH_TRUSTED_PROXIES",
  "TOOLBOOTH_LOG_LEVEL",
  "TOOLBOOTH_TOOL_THREADS",
  "TOOLBOOTH_BUILT_IN_TOOLS",
];

/** Returns warnings about settings that are set, although a Worker ignores them. */
export const warningsOfWorker = (env: Record<string, string>): string[] =>
  NODE_SETTING_NAMES.filter((name) => (env[name] ?? "") !== "").map(
    (name) => `${name} has no effect on Cloudflare Workers.`,
  );

/** Clients read these names, and users export them in the shell in which they may start a server too. */
const CLIENT_NAMES = ["TOOLBOOTH_KEY", "TOOLBOOTH_URL"];

const KNOWN_NAMES: ReadonlySet<string> = new Set([...SETTING_NAMES, ...CLIENT_NAMES]);

/** Returns the `TOOLBOOTH_*` names that are not settings. Other names belong to other programs. */
export const unknownSettings = (env: object): string[] =>
  Object.keys(env).filter((name) => name.startsWith("TOOLBOOTH_") && !KNOWN_NAMES.has(name));
