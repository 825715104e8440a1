import type { SiteContext } from "#site/site-context.ts";

/** The site of tests that make calls: it has no pages, and its dashboard offers nothing. */
export const BARE_SITE: Omit<SiteContext, "settings"> = {
  dashboard: {
    offer: {
      ...{ signUp: "closed", providers: [], starter: { credits: 0, days: 0 } },
      prices: {
        ...{ packs: [], lifetime: null, payable: false, taxesAdded: false },
        ...{ contact: null, recommended: null },
      },
    },
    fetch: async () => new Response(null, { status: 404 }),
  },
  pages: null,
  docs: () => null,
};
