import type { AppContext } from "#api/app-context.ts";
import type { Replier } from "#api/pipeline/reply.ts";
import type { RequestContext } from "#api/pipeline/request-context.ts";
import { COMPRESS_FROM_BYTES } from "#limits.ts";
import { etagOf } from "./content-hash.ts";

export type PageReplier = Pick<Replier, "plain"> & {
  /** Like `plain`, for one of the site's own bodies. There are few of them, so each is compressed once. */
  own: Replier["plain"];
  /**
   * A page that is the same for everyone. Caches may keep it and ask whether it has changed: `If-None-Match` then gets a 304
   * without a body (RFC 9110, section 13.1.2).
   */
  page(
    contentType: string,
    body: string,
    request: Request,
    context: RequestContext,
    headers?: Record<string, string>,
  ): Response | Promise<Response>;
};

/** The most ETags and compressed bodies that are kept: more than a site has pages. */
const KEPT_MAX = 500;
/** Of compressed bodies. A site has about 2 MB, in both codings. */
const KEPT_BYTES_MAX = 16 * 1024 * 1024;

export function createPageReplier(
  replier: Replier,
  { compress }: Pick<AppContext, "compress">,
): PageReplier {
  /** By type and path. A page is hashed when it is first sent, and again when it has changed. */
  const kept = new Map<string, { body: string; etag: string }>();

  /** Weak, because one ETag stands for every content coding of the page (RFC 9110, section 8.8.1). */
  function etagFor(contentType: string, url: string, body: string): string {
    const name = `${contentType} ${new URL(url).pathname}`;
    const known = kept.get(name);
    if (known?.body === body) return known.etag;
    if (kept.size >= KEPT_MAX) kept.clear();
    const etag = `W/${etagOf(body)}`;
    kept.set(name, { body, etag });
    return etag;
  }

  const compressOnce = compress === null ? null : createCompressOnce(compress);
  const own: Replier["plain"] = (type, body, asked, context, more) =>
    replier.plain(type, body, asked, context, { ...more, compress: compressOnce });

  return {
    plain: replier.plain,
    own,
    page(contentType, body, request, context, more = {}) {
      const etag = etagFor(contentType, request.url, body);
      const headers: Record<string, string> = { ...more, "Cache-Control": "no-cache", ETag: etag };
      if (!isAmong(request.headers.get("if-none-match"), etag)) {
        return own(contentType, body, request.headers, context, { headers });
      }
      // A 304 has the `Vary` of the 200 that it stands for.
      if (compress !== null && body.length >= COMPRESS_FROM_BYTES) {
        headers["Vary"] = [more["Vary"] ?? [], "Accept-Encoding"].flat().join(", ");
      }
      const all = replier.headers(request.headers, context, headers);
      return new Response(null, { status: 304, headers: all });
    },
  };
}

type Compress = NonNullable<AppContext["compress"]>;

/**
 * Compresses each body once for each coding. Requests that come together wait for the same work, and a failure is not kept. What is kept
 * is bounded: a page that has changed leaves its earlier form behind, and all of it is dropped when there is too much.
 */
export function createCompressOnce(compress: Compress, bytesMax = KEPT_BYTES_MAX): Compress {
  const kept = new Map<string | Uint8Array, Map<string, Promise<Uint8Array>>>();
  let bytes = 0;

  async function compressNow(encoding: "br" | "gzip", body: string | Uint8Array) {
    const small = await compress(encoding, body);
    bytes += small.byteLength;
    return small;
  }

  return (encoding, body) => {
    if (bytes > bytesMax || kept.size >= KEPT_MAX) {
      kept.clear();
      bytes = 0;
    }
    const forms = kept.get(body) ?? new Map<string, Promise<Uint8Array>>();
    kept.set(body, forms);
    const known = forms.get(encoding);
    if (known !== undefined) return known;
    const made = compressNow(encoding, body);
    forms.set(encoding, made);
    made.catch(() => forms.delete(encoding));
    return made;
  };
}

/** Whether `If-None-Match` names the ETag; compared weakly (RFC 9110, section 8.8.3.2). */
function isAmong(asked: string | null, etag: string): boolean {
  if (asked === null) return false;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, "");
  return asked.trim() === "*" || asked.split(",").some((tag) => opaque(tag) === opaque(etag));
}
