import type { RequestContext } from "#api/pipeline/request-context.ts";
import { transportPolicy } from "#api/transport-policy.ts";
import { APP_ENTRY, listAppPages } from "./app-pages.ts";
import { APP_HEADERS, renderAppPage } from "./app-shell.ts";
import { SECURITY_TEXT_PATH, securityText } from "./discovery.ts";
import type { DocsSources } from "./docs/navigation.ts";
import { LEGAL_PATHS, type LegalSources } from "./legal-sources.ts";
import { favicon, ICON_SVG } from "./mark.ts";
import type { PageAssets, PageOptions } from "./page-options.ts";
import type { PageReplier } from "./page-replies.ts";
import { createPages, type Pages } from "./pages.ts";
import { PRICING_PATH } from "./pricing.ts";
import type { SiteContext } from "./site-context.ts";

type PageHandler = (request: Request, context: RequestContext) => Response | Promise<Response>;
export type PageRoute = { path: string; handler: PageHandler };

const HTML = "text/html; charset=utf-8";
const TEXT = "text/plain; charset=utf-8";
const MARKDOWN = "text/markdown; charset=utf-8";

/** Every page, and the files that pages load. */
export function createPageRoutes(site: SiteContext, replier: PageReplier): PageRoute[] {
  const pages = keepPages(site);
  const plain =
    (type: string, body: (pages: Pages) => string): PageHandler =>
    (request, context) =>
      replier.page(type, body(pages()), request, context);
  return [
    {
      path: "/",
      handler: (request, context) =>
        replier.page(HTML, pages().front, request, context, pages().headers),
    },
    {
      path: PRICING_PATH,
      handler: (request, context) =>
        replier.page(HTML, pages().pricing, request, context, pages().headers),
    },
    ...LEGAL_PATHS.map((path) => ({
      path,
      handler: (request: Request, context: RequestContext) => {
        const page = pages().legal(path);
        return page === undefined
          ? respondNotFound(pages(), replier, request.headers, context)
          : replier.page(HTML, page, request, context, pages().headers);
      },
    })),
    ...docsRoutes(pages, replier),
    { path: "/llms.txt", handler: plain(TEXT, ({ llms }) => llms) },
    { path: "/robots.txt", handler: plain(TEXT, ({ robots }) => robots) },
    ...securityTextRoute(site, replier),
    { path: "/sitemap.xml", handler: plain("application/xml", ({ sitemap }) => sitemap) },
    {
      path: "/favicon.ico",
      handler: ({ headers }, context) =>
        replier.plain("image/vnd.microsoft.icon", favicon(), headers, context, {
          headers: ICON_HEADERS,
        }),
    },
    {
      path: "/icon.svg",
      handler: ({ headers }, context) =>
        replier.plain("image/svg+xml", ICON_SVG, headers, context, {
          headers: { ...ICON_HEADERS, "Content-Security-Policy": SVG_POLICY },
        }),
    },
    {
      path: "/manifest.webmanifest",
      handler: ({ headers }, context) =>
        replier.plain("application/manifest+json", pages().webManifest, headers, context, {
          headers: ICON_HEADERS,
        }),
    },
    ...drawnPages(site, replier),
  ];
}

/** These paths have no hash of the content, so a change is seen after a day. */
const SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'";
const ICON_HEADERS = { "Cache-Control": "public, max-age=86400" };

/** Made for each request, because its expiry depends on the time. */
function securityTextRoute({ settings }: SiteContext, replier: PageReplier): PageRoute[] {
  const { publicUrl, securityContact } = settings;
  if (!securityContact) return [];
  const handler: PageHandler = ({ headers }, context) =>
    replier.plain(
      TEXT,
      securityText(publicUrl, securityContact, context.receivedAt),
      headers,
      context,
    );
  return [{ path: SECURITY_TEXT_PATH, handler }];
}

/** The 404 page; for the path of a page with a slash at its end, a redirect to the page. */
export function createNotFoundPage(
  site: SiteContext,
  replier: PageReplier,
  routes: readonly { path: string }[],
): PageHandler {
  const pages = keepPages(site);
  return ({ headers, url }, context) => {
    const { pathname, search } = new URL(url);
    const path = pathname.slice(0, -1);
    if (!pathname.endsWith("/") || !routes.some((route) => isPathOf(route, path))) {
      return respondNotFound(pages(), replier, headers, context);
    }
    // Relative, because the service may be published below a path. Nothing of the request comes before its `../`.
    const target = `../${path.slice(path.lastIndexOf("/") + 1)}${search}`;
    return replier.plain(TEXT, `The page is at ${path}\n`, headers, context, {
      status: 308,
      headers: { Location: target },
    });
  };
}

/** Whether the path, as it was sent, has the pattern of the route. */
function isPathOf(route: { path: string }, path: string): boolean {
  const [parts, sent] = [route.path.split("/"), path.split("/")];
  return (
    path.length > 1 &&
    parts.length === sent.length &&
    parts.every((part, at) => (part.startsWith(":") ? sent[at] !== "" : part === sent[at]))
  );
}

const respondNotFound = (
  pages: Pages,
  replier: PageReplier,
  asked: Headers,
  context: RequestContext,
): Response | Promise<Response> =>
  replier.own(HTML, pages.notFound, asked, context, { status: 404, headers: pages.headers });

/**
 * The documentation: a page as HTML, or as Markdown where its path ends with `.md` or `Accept` prefers Markdown (RFC 9110,
 * section 12.5.1). The index of the search is read by the script of the pages.
 */
function docsRoutes(pages: () => Pages, replier: PageReplier): PageRoute[] {
  const respond = (path: string, request: Request, context: RequestContext) => {
    const { headers } = request;
    const { docs, docsHeaders } = pages();
    if (docs === null) {
      return replier.plain(
        TEXT,
        "The documentation is not available yet. Try again.\n",
        headers,
        context,
        {
          status: 503,
          headers: { "Retry-After": "10" },
        },
      );
    }
    if (path === SEARCH_INDEX_PATH) {
      return replier.page("application/json", docs.searchIndex(), request, context);
    }
    const isMarkdownPath = path.endsWith(".md");
    if (isMarkdownPath || prefersMarkdown(headers.get("accept"))) {
      const markdown = docs.markdown(path.replace(/\.md$/, ""));
      if (markdown !== undefined) {
        const vary: Record<string, string> = isMarkdownPath ? {} : { Vary: "Accept" };
        return replier.page(MARKDOWN, markdown, request, context, vary);
      }
    }
    const page = docs.html(path);
    return page === undefined
      ? respondNotFound(pages(), replier, headers, context)
      : replier.page(HTML, page, request, context, { ...docsHeaders(path), Vary: "Accept" });
  };
  return [
    { path: "/docs", handler: (request, context) => respond("/docs", request, context) },
    { path: "/docs.md", handler: (request, context) => respond("/docs.md", request, context) },
    {
      path: "/docs/:page",
      handler: (request, context) => respond(`/docs/${lastSegment(request.url)}`, request, context),
    },
  ];
}

/** Decoded as the router does it; a segment that cannot be decoded names no page. */
function lastSegment(url: string): string {
  const segment = new URL(url).pathname.replace(/^.*\//, "");
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const SEARCH_INDEX_PATH = "/docs/search.json";

/** Whether `Accept` names Markdown with a higher weight than HTML. A browser names HTML, and many programs neither. */
export function prefersMarkdown(accept: string | null): boolean {
  const weights = { "text/markdown": 0, "text/html": 0 };
  for (const part of accept?.toLowerCase().split(",") ?? []) {
    const [type = "", ...parameters] = part.split(";").map((text) => text.trim());
    if (type !== "text/markdown" && type !== "text/html") continue;
    const quality = parameters.find((parameter) => parameter.startsWith("q="));
    weights[type] = quality === undefined ? 1 : Number(quality.slice(2)) || 0;
  }
  return weights["text/markdown"] > 0 && weights["text/markdown"] >= weights["text/html"];
}

const NO_LEGAL: LegalSources = {};

/** The pages are made once, and again when their files have been built, the documentation was read or the operator's pages changed. */
function keepPages(site: SiteContext): () => Pages {
  const { pages, docs, legal = () => NO_LEGAL } = site;
  const make = (assets: PageAssets | null, sources: DocsSources | null, own: LegalSources) =>
    createPages({
      ...optionsOf(site),
      assets: assets ?? undefined,
      docs: sources ?? undefined,
      legal: own,
    });
  let assets: PageAssets | null = null;
  let sources: DocsSources | null = null;
  let own = NO_LEGAL;
  // By the first request for a page: making them takes as long as the rest of a start.
  let made: Pages | undefined;
  return () => {
    const newAssets = pages?.frontAssets() ?? null;
    const newSources = docs();
    const newOwn = legal();
    if (made === undefined || newAssets !== assets || newSources !== sources || newOwn !== own) {
      assets = newAssets;
      sources = newSources;
      own = newOwn;
      made = make(assets, sources, own);
    }
    return made;
  };
}

/** What all pages say of the service. */
function optionsOf({ settings, dashboard }: SiteContext): PageOptions {
  const { table, securityContact: _, ...options } = settings;
  return { ...options, settings: table, dashboard: dashboard?.offer ?? null };
}

/** The pages that React draws. */
function drawnPages(site: SiteContext, replier: PageReplier): PageRoute[] {
  const { dashboard, pages, settings } = site;
  if (dashboard === null || pages === null) return [];
  const options = { ...optionsOf(site), dashboard: dashboard.offer };
  const asset: PageRoute = {
    path: "/assets/:name",
    handler: (request) =>
      pages.serveAsset(new URL(request.url).pathname.replace(/^.*\//, ""), request),
  };
  const drawn = listAppPages(settings.tools, settings.publicUrl).map((page) => ({
    path: page.path,
    async handler(request: Request, context: RequestContext) {
      const assets = await pages.assetsFor(APP_ENTRY, page.screen);
      const body = renderAppPage(page, { ...options, legal: site.legal?.() }, assets);
      const headers = { ...APP_HEADERS, ...transportPolicy(settings.publicUrl) };
      if (assets !== null) return replier.page(HTML, body, request, context, headers);
      return replier.plain(HTML, body, request.headers, context, {
        status: 503,
        headers: { ...headers, "Retry-After": "10" },
      });
    },
  }));
  return [asset, ...drawn];
}
