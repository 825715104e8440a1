import { describeOwnTool } from "#api/openapi/tool-description.ts";
import { transportPolicy } from "#api/transport-policy.ts";
import type { RequestContext } from "#calls/request-context.ts";
import { APP_ENTRY, listAppPages } from "./app-pages.ts";
import { appHeaders, renderAppPage } from "./app-shell.ts";
import { SECURITY_TEXT_PATH, securityText } from "./discovery.ts";
import type { DocsSources } from "./docs/navigation.ts";
import type { LegalSources } from "./legal-sources.ts";
import { favicon, siteIcon } from "./mark.ts";
import { type PageAssets, type PageOptions, toolsWithPage } from "./page-options.ts";
import type { PageReplier } from "./page-replies.ts";
import { createPages, FOR_A_DAY, HTML, isDocsPath, type Pages, SITE_PATHS, TEXT } from "./pages.ts";
import type { SiteContext } from "./site-context.ts";

type PageHandler = (request: Request, context: RequestContext) => Response | Promise<Response>;
export type PageRoute = { path: string; handler: PageHandler };

/** Every page, and the files that pages load. */
export function createPageRoutes(
  site: SiteContext,
  pages: () => Pages,
  replier: PageReplier,
): PageRoute[] {
  const handler: PageHandler = (request, context) => {
    const path = pathOf(request.url);
    const { find, docs } = pages();
    if (docs === null && isDocsPath(path)) return docsMissing(request, context);
    const page = find(path, request.headers.get("accept"));
    return page === undefined
      ? respondNotFound(pages(), replier, request.headers, context)
      : replier.page(page.type, page.body, request, context, page.headers);
  };
  const docsMissing: PageHandler = ({ headers }, context) =>
    replier.plain(TEXT, "The documentation is not available yet. Try again.\n", headers, context, {
      status: 503,
      headers: { "Retry-After": "10" },
    });
  const file =
    (type: string, body: string | Uint8Array, own: Record<string, string>): PageHandler =>
    ({ headers }, context) =>
      replier.plain(type, body, headers, context, { headers: own });
  const { settings } = site;
  const iconRoute = (path: string, { type, body }: ReturnType<typeof favicon>): PageRoute => ({
    path,
    handler: file(type, body, {
      ...FOR_A_DAY,
      "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    }),
  });
  return [
    ...[...SITE_PATHS, "/docs", "/docs.md", "/docs/:page"].map((path) => ({ path, handler })),
    ...securityTextRoute(site, replier),
    iconRoute("/favicon.ico", favicon(settings)),
    iconRoute("/icon.svg", siteIcon(settings)),
    ...appPages(site, replier),
  ];
}

/** Decoded as the router does it; a path that cannot be decoded names no page. */
function pathOf(url: string): string {
  const { pathname } = new URL(url);
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

/** Made for each request, because its expiry depends on the time. */
function securityTextRoute({ settings }: SiteContext, replier: PageReplier): PageRoute[] {
  const { securityContact } = settings;
  if (!securityContact) return [];
  const handler: PageHandler = ({ headers }, context) =>
    replier.plain(
      TEXT,
      securityText(settings, securityContact, context.receivedAt),
      headers,
      context,
    );
  return [{ path: SECURITY_TEXT_PATH, handler }];
}

/** The 404 page; for the path of a page with a slash at its end, a redirect to the page. */
export function createNotFoundPage(
  pages: () => Pages,
  replier: PageReplier,
  routes: readonly { path: string }[],
): PageHandler {
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
  { notFound }: Pages,
  replier: PageReplier,
  asked: Headers,
  context: RequestContext,
): Response | Promise<Response> =>
  replier.own(HTML, notFound.body, asked, context, { status: 404, headers: notFound.headers });

const NO_LEGAL: LegalSources = {};

/** The pages are made anew when their files have been built, the documentation was read or the operator's pages changed. */
export function keepPages(site: SiteContext): () => Pages {
  type Sources = [PageAssets | null, DocsSources | null, LegalSources];
  let sources: Sources | undefined;
  // By the first request for a page: making them takes as long as the rest of a start.
  let made: Pages | undefined;
  return () => {
    const now: Sources = [
      site.pages?.frontAssets() ?? null,
      site.docs(),
      site.legal?.() ?? NO_LEGAL,
    ];
    if (made === undefined || now.some((source, at) => source !== sources?.[at])) {
      const [assets, docs, legal] = now;
      sources = now;
      made = createPages({
        ...optionsOf(site),
        assets: assets ?? undefined,
        docs: docs ?? undefined,
        legal,
      });
    }
    return made;
  };
}

/** What all pages say of the service. */
function optionsOf({ settings, dashboard }: SiteContext): PageOptions {
  const { table, securityContact: _, ...options } = settings;
  return { ...options, settings: table, dashboard: dashboard.offer };
}

/** The pages that React draws, and the files of the build. */
function appPages(site: SiteContext, replier: PageReplier): PageRoute[] {
  const { pages, settings } = site;
  if (pages === null) return [];
  const options = optionsOf(site);
  const asset: PageRoute = {
    path: "/assets/:name",
    handler: (request) =>
      pages.serveAsset(new URL(request.url).pathname.replace(/^.*\//, ""), request),
  };
  const drawn = listAppPages(settings.tools).map((page) => ({
    path: page.path,
    async handler(request: Request, context: RequestContext) {
      const assets = await pages.assetsFor(APP_ENTRY, page.screen);
      const body = renderAppPage(page, { ...options, legal: site.legal?.() }, assets);
      const headers = { ...appHeaders(assets), ...transportPolicy(settings.publicUrl) };
      if (assets !== null) return replier.page(HTML, body, request, context, headers);
      return replier.plain(HTML, body, request.headers, context, {
        status: 503,
        headers: { ...headers, "Retry-After": "10" },
      });
    },
  }));
  // What the page of an own tool needs for its form.
  const described = toolsWithPage(settings)
    .filter(({ isOwn }) => isOwn)
    .map((tool) => ({
      path: `/tools/${tool.name}.json`,
      handler: (request: Request, context: RequestContext) =>
        replier.page("application/json", JSON.stringify(describeOwnTool(tool)), request, context),
    }));
  // One page signs up and in. Relative, because the service may be published below a path.
  const signUp: PageRoute = {
    path: "/sign-up",
    handler: ({ headers, url }, context) =>
      replier.plain(TEXT, "You sign up and in at /sign-in\n", headers, context, {
        status: 308,
        headers: { Location: `sign-in${new URL(url).search}` },
      }),
  };
  return [asset, signUp, ...drawn, ...described];
}
