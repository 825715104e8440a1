import type { AppContext } from "#calls/app-context.ts";
import type { PlainOptions, Replier } from "#calls/reply.ts";
import type { RequestContext } from "#calls/request-context.ts";
import { COMPRESS_FROM_BYTES } from "#limits.ts";
import { etagOf } from "./content-hash.ts";

export type PageReplier = Pick<Replier, "plain"> & {
  /** Like `plain`, for one of the site's own bodies. There are few of them, so each is compressed once. */
  own(
    contentType: string,
    body: string,
    asked: Headers,
    context: RequestContext,
    more: PlainOptions,
  ): Response | Promise<Response>;
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

type Compress = NonNullable<AppContext["compress"]>;
type Kept = { etag: string; compressed: Map<string, Promise<Uint8Array>> };

/** More bodies than a site has. When pages change, their earlier forms are dropped at this bound, with all others. */
const KEPT_MAX = 200;

export function createPageReplier(
  replier: Replier,
  { compress }: Pick<AppContext, "compress">,
): PageReplier {
  /** By body, which is hashed when it is first sent, and compressed when it is first asked for in a coding. */
  const kept = new Map<string, Kept>();

  function keep(body: string): Kept {
    const known = kept.get(body);
    if (known !== undefined) return known;
    if (kept.size >= KEPT_MAX) kept.clear();
    // Weak, because one ETag stands for every content coding of the page (RFC 9110, section 8.8.1).
    const made = { etag: `W/${etagOf(body)}`, compressed: new Map() };
    kept.set(body, made);
    return made;
  }

  const own: PageReplier["own"] = (type, body, asked, context, more) =>
    replier.plain(type, body, asked, context, {
      ...more,
      compress: compress && compressOnce(keep(body), compress),
    });

  return {
    plain: replier.plain.bind(replier),
    own,
    page(contentType, body, request, context, more = {}) {
      const { etag } = keep(body);
      const headers: Record<string, string> = { "Cache-Control": "no-cache", ...more, ETag: etag };
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

/** Requests that come together wait for the same work, and a failure is not kept. */
function compressOnce({ compressed }: Kept, compress: Compress): Compress {
  return (encoding, body) => {
    const known = compressed.get(encoding);
    if (known !== undefined) return known;
    const made = compress(encoding, body);
    compressed.set(encoding, made);
    made.catch(() => compressed.delete(encoding));
    return made;
  };
}

/** Whether `If-None-Match` names the ETag; compared weakly (RFC 9110, section 8.8.3.2). */
function isAmong(asked: string | null, etag: string): boolean {
  if (asked === null) return false;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, "");
  return asked.trim() === "*" || asked.split(",").some((tag) => opaque(tag) === opaque(etag));
}
