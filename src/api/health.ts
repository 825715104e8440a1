import type { AppContext, Metrics } from "#calls/app-context.ts";
import type { Replier } from "#calls/reply.ts";
import type { RequestContext } from "#calls/request-context.ts";
import { ApiError } from "#errors.ts";

/** The endpoints for an operator's monitoring: `/healthz`, `/readyz` and `/metrics`. */
export function createMonitoringEndpoints(app: AppContext, replier: Replier) {
  const json = (body: object, request: Request, context: RequestContext) =>
    replier.plain("application/json", JSON.stringify(body), request.headers, context);

  return {
    healthz: (request: Request, context: RequestContext) => json({ ok: true }, request, context),

    async readyz(request: Request, context: RequestContext): Promise<Response> {
      const unready = await app.readiness();
      if (unready !== null) {
        const headers = { "Retry-After": "2" };
        throw new ApiError("unavailable", unready.message, { cause: unready.cause, headers });
      }
      const warnings = app.warnings?.() ?? [];
      return json(warnings.length === 0 ? { ok: true } : { ok: true, warnings }, request, context);
    },

    async metrics(
      request: Request,
      context: RequestContext,
      connection: unknown,
    ): Promise<Response> {
      const { metrics } = app;
      if (metrics === null || !mayReadMetrics(metrics, request, connection)) {
        throw new ApiError("not_found", "This client cannot read /metrics.");
      }
      const { contentType, text } = await metrics.read();
      return replier.plain(contentType, text, request.headers, context);
    },
  };
}

/**
 * If a token is set, clients that send it; otherwise only clients on this machine that did not come through a proxy.
 */
function mayReadMetrics(metrics: Metrics, request: Request, connection: unknown): boolean {
  if (metrics.token !== null)
    return sameText(request.headers.get("authorization"), `Bearer ${metrics.token}`);
  const forwarded = FORWARDED.some((name) => request.headers.has(name));
  return !forwarded && metrics.isLocal(request, connection);
}

/** Headers that proxies add. A proxy that adds none of them looks like a local client. */
const FORWARDED = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
  "true-client-ip",
  "cf-connecting-ip",
];

/** Compares two texts of equal length in constant time. */
function sameText(sent: string | null, expected: string): boolean {
  if (sent === null || sent.length !== expected.length) return false;
  let difference = 0;
  for (let i = 0; i < expected.length; i += 1) {
    difference |= sent.charCodeAt(i) ^ expected.charCodeAt(i);
  }
  return difference === 0;
}
