import type { Replier, RequestContext } from "#api/pipeline/reply.ts";
import { transportPolicy } from "#api/transport-policy.ts";
import { APP_ENTRY, listAppPages, renderAppPage } from "./app-pages.ts";
import { APP_HEADERS } from "./app-shell.ts";
import { createPages, type Pages } from "./pages.ts";
import type { SiteContext } from "./site-context.ts";

type PageHandler = (request: Request, context: RequestContext) => Response | Promise<Response>;
export type PageRoute = { path: string; handler: PageHandler };

/** Every page, and what pages are made of. A door without people or without built pages has those that need neither. */
export function createPageRoutes(site: SiteContext, replier: Replier): PageRoute[] {
  const pages = keepPages(site);
  const paths = Object.keys(pages().byPath);
  const written = paths.map((path) => ({
    path,
    handler: ({ headers }: Request, context: RequestContext) =>
      replier.plain(HTML, pages().byPath[path] as string, headers, context, {
        headers: pages().headers,
      }),
  }));
  return [
    ...written,
    { path: "/llms.txt", handler: text(replier, "text/plain; charset=utf-8", pages().llms) },
    { path: "/robots.txt", handler: text(replier, "text/plain; charset=utf-8", pages().robots) },
    { path: "/sitemap.xml", handler: text(replier, "application/xml", pages().sitemap) },
    ...drawnPages(site, replier),
  ];
}

export function createNotFoundPage(site: SiteContext, replier: Replier): PageHandler {
  const pages = keepPages(site);
  return ({ headers }, context) =>
    replier.plain(HTML, pages().notFound, headers, context, {
      status: 404,
      headers: pages().headers,
    });
}

const HTML = "text/html; charset=utf-8";

const text =
  (replier: Replier, type: string, body: string): PageHandler =>
  ({ headers }, context) =>
    replier.plain(type, body, headers, context);

/** The pages are made once, and once more when their script has been built. */
function keepPages({ settings, people, pages }: SiteContext): () => Pages {
  const { table, ...options } = settings;
  const make = (script: string | null) =>
    createPages({
      ...options,
      ...{ assets: { script }, settings: table, people: people?.offer ?? null },
    });
  let script: string | null = null;
  let kept = make(script);
  return () => {
    const built = pages?.frontScript() ?? null;
    if (built !== script) {
      script = built;
      kept = make(script);
    }
    return kept;
  };
}

function drawnPages(site: SiteContext, replier: Replier): PageRoute[] {
  const { people, pages, settings } = site;
  if (people === null || pages === null) return [];
  const asset: PageRoute = {
    path: "/assets/:name",
    handler: (request) =>
      pages.serveAsset(new URL(request.url).pathname.replace(/^.*\//, ""), request),
  };
  const drawn = listAppPages(settings.tools, settings.publicUrl).map((page) => ({
    path: page.path,
    async handler({ headers }: Request, context: RequestContext) {
      const assets = await pages.assetsFor(APP_ENTRY, page.screen);
      const body = renderAppPage(page, settings.publicUrl, assets);
      const more = assets === null ? { "Retry-After": "10" } : {};
      return replier.plain(HTML, body, headers, context, {
        status: assets === null ? 503 : 200,
        headers: { ...APP_HEADERS, ...transportPolicy(settings.publicUrl), ...more },
      });
    },
  }));
  return [asset, ...drawn];
}
