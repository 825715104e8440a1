import path from "node:path";

export const CHECKOUT = path.join(import.meta.dirname, "../../..");

/** The Wrangler of the lock file. */
export const WRANGLER = path.join(CHECKOUT, "node_modules", "wrangler", "bin", "wrangler.js");

/** Keeps Wrangler from sending what is not needed, and from asking. */
export const QUIET_WRANGLER: Readonly<Record<string, string>> = {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_HIDE_BANNER: "true",
  // Otherwise Wrangler asks Cloudflare for this machine's location.
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
};
