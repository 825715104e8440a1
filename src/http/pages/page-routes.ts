import type { House } from "../house.ts";
import type { Replier, Trace } from "../reply.ts";
import { APP_ENTRY, listAppPages, renderAppPage } from "./app-pages.ts";
import { APP_HEADERS } from "./app-shell.ts";
import { transportPolicy } from "./page-policy.ts";
import { createPages, type Pages } from "./pages.ts";

type PageHandler = (request: Request, trace: Trace) => Response | Promise<Response>;
export type PageRoute = { path: string; handler: PageHandler };

/** Every page, and what pages are made of. A door without people or without built pages has those that need neither. */
export function createPageRoutes(house: House, replier: Replier): PageRoute[] {
  const pages = keepPages(house);
  const paths = Object.keys(pages().byPath);
  const written = paths.map((path) => ({
    path,
    handler: ({ headers }: Request, trace: Trace) =>
      replier.plain(HTML, pages().byPath[path] as string, headers, trace, {
        headers: pages().headers,
      }),
  }));
  return [
    ...written,
    { path: "/llms.txt", handler: text(replier, "text/plain; charset=utf-8", pages().llms) },
    { path: "/robots.txt", handler: text(replier, "text/plain; charset=utf-8", pages().robots) },
    { path: "/sitemap.xml", handler: text(replier, "application/xml", pages().sitemap) },
    ...drawnPages(house, replier),
  ];
}

export function createNotFoundPage(house: House, replier: Replier): PageHandler {
  const pages = keepPages(house);
  return ({ headers }, trace) =>
    replier.plain(HTML, pages().notFound, headers, trace, {
      status: 404,
      headers: pages().headers,
    });
}

const HTML = "text/html; charset=utf-8";

const text =
  (replier: Replier, type: string, body: string): PageHandler =>
  ({ headers }, trace) =>
    replier.plain(type, body, headers, trace);

/** The pages are made once, and once more when their script has been built. */
function keepPages({ settings, people, pages }: House): () => Pages {
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

function drawnPages(house: House, replier: Replier): PageRoute[] {
  const { people, pages, settings } = house;
  if (people === null || pages === null) return [];
  const asset: PageRoute = {
    path: "/assets/:name",
    handler: (request) =>
      pages.answerAsset(new URL(request.url).pathname.replace(/^.*\//, ""), request),
  };
  const drawn = listAppPages(settings.publicUrl).map((page) => ({
    path: page.path,
    async handler({ headers }: Request, trace: Trace) {
      const assets = await pages.assetsFor(APP_ENTRY, page.screen);
      const body = renderAppPage(page, settings.publicUrl, assets);
      const more = assets === null ? { "Retry-After": "10" } : {};
      return replier.plain(HTML, body, headers, trace, {
        status: assets === null ? 503 : 200,
        headers: { ...APP_HEADERS, ...transportPolicy(settings.publicUrl), ...more },
      });
    },
  }));
  return [asset, ...drawn];
}
