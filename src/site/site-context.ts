import type { AppContext } from "#api/app-context.ts";
import type { ApiOptions } from "#api/openapi/document.ts";
import type { AppAssets } from "./app-shell.ts";
import type { DashboardOffer, SettingShown } from "./page-options.ts";

/** What a runtime hands to the site: the description, the pages and the people's side, beside the calls. */
export type SiteContext = {
  settings: ApiOptions & {
    /** Every setting of this version, for the page that tells operators of them. */
    table?: readonly SettingShown[];
  };
  /** Null: the site is the documentation of the API alone. */
  people: DashboardSite | null;
  /** The built pages; null: only the pages that need no script. */
  pages: BuiltPages | null;
};

export type DashboardSite = {
  /** What people can do here, for the pages to say. */
  offer: DashboardOffer;
  /** Handles everything below `/dashboard/`. */
  fetch(request: Request, connection: unknown): Promise<Response>;
};

export type BuiltPages = {
  /** Responds to `/assets/<name>`. */
  serveAsset(name: string, request: Request): Promise<Response>;
  /** What the head of a page of `web/` must name; null where it was not built. */
  assetsFor(entry: string, screen?: string): Promise<AppAssets | null>;
  /** The script of the pages that need none, as `assets/front-1a2b3c.js`; null where it was not built (yet). */
  frontScript(): string | null;
};

/** What the description and the pages say of an app. */
export function apiOptionsOf({ settings, tools }: AppContext, version: string): ApiOptions {
  const { publicUrl, rateLimit, freeCallCredits } = settings;
  return { publicUrl, rateLimit, freeCallCredits, tools, version };
}
