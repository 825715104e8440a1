import { createServer } from "node:http";
import path from "node:path";
import type { Visitor } from "#api/dashboard/shapes.ts";
import { describeOwnTool } from "#api/openapi/tool-description.ts";
import { openPages } from "#apps/node/pages.ts";
import { APP_ENTRY, listAppPages } from "#site/app-pages.ts";
import { type AppPage, appHeaders, renderAppPage } from "#site/app-shell.ts";
import type { LegalSources } from "#site/legal-sources.ts";
import { FRONT_ENTRY } from "#site/page-manifest.ts";
import { createPages, type Pages } from "#site/pages.ts";
import { FULL, pathsOf } from "../site/pages-server.ts";
import { listen } from "../support/ports.ts";
import { AXE_HEADERS, AXE_PATH, readAxe } from "./axe.ts";
import { OWN_TOOL } from "./own-tool.ts";
import { MockedPages } from "./screen-mocks.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const HTML = "text/html; charset=utf-8";
/** The tools that come in the box, and one of the operator. */
const SERVICE = { ...FULL, tools: [...FULL.tools, OWN_TOOL] };
/** Where the site has a page without content. */
export const BLANK_PATH = "/blank";

export type ScreenSite = Awaited<ReturnType<typeof openScreenSite>>;

/**
 * The dashboard as built by `npm run build`, with the HTML and headers of the service but without its API. `visitor`
 * answers `GET /dashboard/visitor` for tests without mocks; `legal` are the operator's own pages.
 */
export async function openScreenSite(visitor?: Visitor, legal?: LegalSources) {
  const pages = openPages({
    checkout: ROOT,
    dataDir: path.join(ROOT, "data"),
    say: () => {},
    logError: (text, { cause }) => {
      throw new Error(text, { cause });
    },
  });
  await pages.settled;
  let respond: (request: Request) => Response | Promise<Response> = () => new Response();
  const mocked = new MockedPages();
  const server = createServer(async (incoming, outgoing) => {
    if (mocked.respond(incoming, outgoing)) return;
    if (incoming.url === AXE_PATH) {
      outgoing.writeHead(200, AXE_HEADERS).end(readAxe());
      return;
    }
    if (incoming.url === BLANK_PATH) {
      outgoing.writeHead(200, { "Content-Type": HTML }).end();
      return;
    }
    const response = await respond(new Request(`http://site.test${incoming.url}`));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.end(Buffer.from(await response.arrayBuffer()));
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  await pages.assetsFor(FRONT_ENTRY);
  const assets = pages.frontAssets() ?? undefined;
  const serverPages = createPages({ ...SERVICE, publicUrl: url, assets, legal });
  const appPages = listAppPages(SERVICE.tools);

  respond = async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/assets/")) return pages.serveAsset(path.basename(pathname), request);
    if (visitor && pathname === "/dashboard/visitor") return Response.json(visitor);
    if (pathname === `/tools/${OWN_TOOL.name}.json`)
      return Response.json(describeOwnTool(OWN_TOOL));
    const page = appPages.find((each) => each.path === pathname) ?? toolPageFor(appPages, pathname);
    if (page === undefined) return serverPage(serverPages, pathname);
    const assets = await pages.assetsFor(APP_ENTRY, page.screen);
    const headers = { ...appHeaders(assets), "Content-Type": HTML };
    const options = { ...SERVICE, publicUrl: url, legal };
    // The typefaces are shown however slow the machine is: with `optional`, a page whose fonts come late does without them.
    const body = renderAppPage(page, options, assets).replaceAll(
      "font-display:optional",
      "font-display:block",
    );
    return new Response(body, { headers });
  };
  return {
    ...{ url, mocked },
    appPaths: appPages.map(({ path }) => path),
    serverPaths: pathsOf(serverPages),
    close() {
      server.closeAllConnections();
      server.close();
      pages.close();
    },
  };
}

/** Serves the tools' shell for unknown tools, which the service answers with a page of its own. */
const toolPageFor = (appPages: AppPage[], pathname: string): AppPage | undefined =>
  pathname.startsWith("/tools/")
    ? appPages.find(({ path }) => path.startsWith("/tools/"))
    : undefined;

function serverPage(pages: Pages, pathname: string): Response {
  const page = pages.find(pathname);
  const { type, headers, body } = page ?? pages.notFound;
  const status = page === undefined ? 404 : 200;
  return new Response(body, { status, headers: { ...headers, "Content-Type": type } });
}
