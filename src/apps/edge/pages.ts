import type { DocsSources } from "#site/docs/navigation.ts";
import type { LegalSources } from "#site/legal-sources.ts";
import {
  assetsOf,
  FRONT_ENTRY,
  frontAssetsOf,
  type InlineTexts,
  type PageManifest,
} from "#site/page-manifest.ts";
import type { PageAssets } from "#site/page-options.ts";
import type { BuiltPages } from "#site/site-context.ts";

/** The Worker's static assets. */
export type AssetFetcher = { fetch(request: Request): Promise<Response> };

/** Folder of the assets that the Worker itself reads. Clients cannot get them, because everything except `/assets/` goes to the Worker. */
const MANIFEST = "/build/manifest.json";
const INLINE = "/build/inline.json";
const DOCS = "/build/docs.json";
const LEGAL = "/build/legal.json";
const DISPOSABLE_DOMAINS = "/build/disposable-domains.json";

export type EdgePages = BuiltPages & {
  /** Reads the build once per isolate; after a failure the next request tries again. */
  load(): Promise<void>;
  /** The pages of `docs/`; null until they were read. */
  docs(): DocsSources | null;
  /** The operator's own pages. */
  legal(): LegalSources;
};

type Built = {
  manifest: PageManifest;
  inline: InlineTexts;
  docs: DocsSources;
  legal: LegalSources;
  front: PageAssets;
};

export function openEdgePages(
  assets: AssetFetcher | undefined,
  logError: (message: string, details: { cause?: unknown }) => void,
): EdgePages {
  let built: Built | null = null;

  async function read(): Promise<Built> {
    const [manifest, texts, docs, legal] = await Promise.all([
      readText(assets, MANIFEST),
      readText(assets, INLINE),
      readText(assets, DOCS),
      readText(assets, LEGAL),
    ]);
    const parsed = JSON.parse(manifest) as PageManifest;
    const inline = JSON.parse(texts) as InlineTexts;
    return {
      manifest: parsed,
      front: frontAssetsOf(assetsOf(parsed, inline, FRONT_ENTRY)),
      inline,
      docs: JSON.parse(docs) as DocsSources,
      legal: JSON.parse(legal) as LegalSources,
    };
  }

  return {
    async load() {
      // Concurrent requests each read it, because one request may not wait for another's promise.
      if (built !== null) return;
      try {
        built = await read();
      } catch (cause) {
        logError(
          "The pages are missing. Run `toolbooth build cloudflare` before the deployment and bind ASSETS",
          { cause },
        );
      }
    },
    assetsFor: async (entry, screen) =>
      built === null ? null : assetsOf(built.manifest, built.inline, entry, screen),
    frontAssets: () => built?.front ?? null,
    docs: () => built?.docs ?? null,
    legal: () => built?.legal ?? NO_LEGAL,
    async serveAsset(name, request) {
      const asked = new Request(`${PLACE}/assets/${encodeURIComponent(name)}`, {
        method: request.method,
        headers: request.headers,
      });
      const response = await assets?.fetch(asked);
      if (response !== undefined && (response.ok || response.status === 304)) return response;
      await response?.body?.cancel();
      return nothing();
    },
  };
}

const NO_LEGAL: LegalSources = {};

/** A request needs a host; the binding ignores it. */
const PLACE = "https://assets.local";

/** What a sign-up is checked against. As code, the list would add much to the Worker. */
export const readDisposableDomains = async (
  assets: AssetFetcher | undefined,
): Promise<readonly string[]> =>
  JSON.parse(await readText(assets, DISPOSABLE_DOMAINS)) as readonly string[];

const readText = async (assets: AssetFetcher | undefined, path: string): Promise<string> =>
  new TextDecoder().decode(await readBytes(assets, path));

async function readBytes(assets: AssetFetcher | undefined, path: string): Promise<Uint8Array> {
  if (assets === undefined) throw new Error("The binding ASSETS is missing");
  const response = await assets.fetch(new Request(`${PLACE}${path}`));
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (!response.ok) throw new Error(`${path} is not among the assets (${response.status})`);
  return bytes;
}

function nothing(): Response {
  const headers = { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" };
  return new Response("There is no such file.\n", { status: 404, headers });
}
