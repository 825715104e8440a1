import type { AppContext } from "#calls/app-context.ts";
import type { DocsSources } from "./docs/navigation.ts";
import type { LegalSources } from "./legal-sources.ts";
import type { AppAssets } from "./page-manifest.ts";
import type { DashboardOffer, PageAssets, ServiceOptions, SettingShown } from "./page-options.ts";

/** What a runtime hands to the site: what it says of the service, the dashboard, the built pages and the documentation. */
export type SiteContext = {
  settings: ServiceOptions & {
    /** Every setting of this version, for the documentation. */
    table?: readonly SettingShown[];
    /** The URL at which to report vulnerabilities, for `/.well-known/security.txt`; without it there is no such file. */
    securityContact?: string | null;
  };
  dashboard: DashboardSite;
  /** The built pages; null: only the pages that need no script. */
  pages: BuiltPages | null;
  /** The pages of `docs/`; null where they are not there (yet). */
  docs(): DocsSources | null;
  /** The operator's own pages; the same object while they did not change. Left out: there are none. */
  legal?(): LegalSources;
};

export type DashboardSite = {
  /** What the pages say of the dashboard. */
  offer: DashboardOffer;
  /** Handles everything below `/dashboard/`. */
  fetch(request: Request, connection: unknown): Promise<Response>;
};

export type BuiltPages = {
  /** Responds to `/assets/<name>`. */
  serveAsset(name: string, request: Request): Promise<Response>;
  /** What the head of a page of `web/` names; null where it was not built. */
  assetsFor(entry: string, screen?: string): Promise<AppAssets | null>;
  /** What the server-rendered pages load; null where it was not built (yet). The same object until it changes. */
  frontAssets(): PageAssets | null;
};

/** What the description and the pages say of an app. */
export function apiOptionsOf(
  { settings, tools }: Pick<AppContext, "settings" | "tools">,
  version: string,
): ServiceOptions {
  const { publicUrl, name, keyPrefix, rateLimit, freeCallCredits } = settings;
  return { publicUrl, name, keyPrefix, rateLimit, freeCallCredits, tools, version };
}
