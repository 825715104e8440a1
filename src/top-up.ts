/** How customers of this service get more credits. */
export type CreditSales = {
  /** Whether the dashboard sells credits. */
  payable: boolean;
  /** An email address or a URL of the operator; null if none is configured. */
  contact: string | null;
};

export type TopUp = {
  kind: "buy" | "contact" | "ask" | "look";
  /** What to do, in one sentence. */
  sentence: string;
  /** The page that helps, or the operator's address. Null if there is none. */
  url: string | null;
};

/** The link to the operator: an email address or a page. */
export const contactHref = (contact: string): string =>
  /^https?:/i.test(contact) ? contact : `mailto:${contact}`;

/**
 * Says how to get more credits; everything that mentions it (errors, emails, pages, descriptions) uses this function.
 * `sales` is null where it is not known how this service gives credits: the Credits page always says it. `publicUrl` has no
 * slash at its end.
 */
export function topUp(sales: CreditSales | null, publicUrl: string): TopUp {
  const credits = `${publicUrl}/credits`;
  if (sales === null) {
    return { kind: "look", sentence: `To get more credits, see ${credits}`, url: credits };
  }
  if (sales.payable) return { kind: "buy", sentence: `Buy credits at ${credits}`, url: credits };
  const { contact } = sales;
  return contact === null
    ? {
        kind: "ask",
        sentence: "To get more credits, ask the operator of this service.",
        url: null,
      }
    : {
        kind: "contact",
        sentence: `To get more credits, contact the operator of this service: ${contact}`,
        url: contactHref(contact),
      };
}
