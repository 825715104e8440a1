import path from "node:path";
import { createMcp } from "#api/mcp/serve-message.ts";
import { bundleEarlyScript } from "#apps/node/build-pages.ts";
import { listDocs } from "#apps/node/docs.ts";
import { TOOLBOOTH } from "#brand.ts";
import { SETTINGS } from "#config/settings.ts";
import type { PageOptions } from "#site/page-options.ts";
import type { Pages } from "#site/pages.ts";
import { SITE_FILES, type SiteFiles } from "#site/site-files.ts";
import { TOOLS } from "#tools/registry.ts";
import { noPrices, prices } from "../web/sales-fixtures.ts";

export const ROOT = path.join(import.meta.dirname, "../..");
const DOCS = listDocs();
/** The script in the head of every page. */
export const EARLY = await bundleEarlyScript(ROOT);

/** The fonts and images as a build names them. */
export const FILES = Object.fromEntries(
  SITE_FILES.map((name) => [name, `assets/${name}`]),
) as SiteFiles;

/** A service with everything that the pages can offer, published at the root of a host. */
export const FULL: PageOptions = {
  docs: DOCS,
  ...TOOLBOOTH,
  publicUrl: "https://tools.test",
  rateLimit: 100,
  freeCallCredits: 1,
  tools: TOOLS,
  version: "1.2.3",
  assets: { script: "assets/main.js", files: FILES, early: EARLY },
  dashboard: { signUp: "open", providers: ["github"], starter: { credits: 100, days: 90 }, prices },
  settings: SETTINGS,
};

/** A service that sells and gives nothing, and whose pages have not been built yet. */
export const BARE: PageOptions = {
  docs: DOCS,
  ...TOOLBOOTH,
  publicUrl: "https://tools.test",
  rateLimit: 0,
  freeCallCredits: 1,
  tools: TOOLS,
  version: "1.2.3",
  dashboard: {
    ...{ signUp: "closed", providers: [], prices: noPrices },
    starter: { credits: 0, days: 0 },
  },
};

/** What an agent gets of a service for a message without a call. */
export function askMcp({ tools, version, name }: PageOptions, method: string) {
  const mcp = createMcp({ tools, version, name });
  const message = { jsonrpc: "2.0", id: 1, method, params: {} };
  return mcp({
    body: new TextEncoder().encode(JSON.stringify(message)),
    ...{ headers: new Headers(), count: async () => {}, left: () => null },
  } as unknown as Parameters<typeof mcp>[0]);
}

/** The text of a page by its path; undefined where there is none. */
export const pageAt = ({ find }: Pages, target: string): string | undefined => find(target)?.body;

/** The paths of all pages that the server renders. */
export const pathsOf = ({ docs }: Pages): string[] => ["/", "/pricing", ...(docs?.paths ?? [])];
