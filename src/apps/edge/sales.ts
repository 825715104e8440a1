import type { AppContext } from "#calls/app-context.ts";
import type { CreditSales } from "#top-up.ts";

/** The site Worker, as the API Worker reaches it. */
export type SiteBinding = { fetch(request: Request): Promise<Response> };

/** How long an isolate believes the site Worker, in milliseconds: a deployment with other prices replaces only that Worker. */
const FRESH_MS = 300_000;
const PATIENCE_MS = 2_000;

/**
 * Asks the site Worker how credits are sold, once per isolate and five minutes, and only for an account that has too few. The
 * API Worker has no price list of its own, because checking one would make it larger for every call.
 */
export function salesKnownTo(
  site: SiteBinding | undefined,
  publicUrl: string,
): AppContext["sales"] {
  let known: CreditSales | null = null;
  let askedAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (site === undefined) return { payable: false, contact: null };
    return Date.now() - askedAt < FRESH_MS ? known : ask(site);
  };

  async function ask(site: SiteBinding): Promise<CreditSales | null> {
    askedAt = Date.now();
    try {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const response = await site.fetch(new Request(`${publicUrl}/dashboard/prices`, { signal }));
      const { payable, contact } = (await response.json()) as CreditSales;
      if (response.ok) known = { payable, contact };
    } catch {
      // Without an answer the error leads to the Credits page, which says how credits are sold.
    }
    return known;
  }
}
