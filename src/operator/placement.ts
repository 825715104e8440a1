import { AccountError } from "#accounts/accounts.ts";
import {
  atLocation,
  inJurisdiction,
  type Jurisdiction,
  type Location,
  type Placement,
  placementOf,
} from "#placement.ts";
import type { OperatorContext } from "./context.ts";

/** What an operator asks for; null for what they leave to the service. */
export type PlacementRequest = { location: Location | null; jurisdiction: Jurisdiction | null };

/** Also the error of the command line on its own data. */
export const NO_PLACES =
  "--location and --jurisdiction work only with --remote and a service on Cloudflare. Here all accounts are in one database, which lives where you run it.";

export const ONE_OF_THEM =
  "Use either --location or --jurisdiction. An account in a jurisdiction is placed inside it, near the person who creates it.";

/** Returns where a new account will live. `hasPlaces`: false where all accounts share a database. Throws an AccountError. */
export function choosePlacement(
  { placement: service }: Pick<OperatorContext, "placement">,
  { location, jurisdiction }: PlacementRequest,
): { placement: Placement; hasPlaces: boolean } {
  const isAsked = location !== null || jurisdiction !== null;
  if (service === null) {
    if (isAsked) throw new AccountError(NO_PLACES);
    return { placement: atLocation(null), hasPlaces: false };
  }
  if (location !== null && jurisdiction !== null) throw new AccountError(ONE_OF_THEM);
  const fixed = service.jurisdiction;
  if (fixed !== null && (location !== null || (jurisdiction ?? fixed) !== fixed)) {
    throw new AccountError(
      `The service creates all accounts in the jurisdiction ${fixed} (TOOLBOOTH_JURISDICTION), so neither a location nor another jurisdiction can be chosen.`,
    );
  }
  if (fixed !== null) return { placement: service, hasPlaces: true };
  const placement =
    jurisdiction === null ? atLocation(location ?? service.location) : inJurisdiction(jurisdiction);
  return { placement, hasPlaces: true };
}

/** Throws an AccountError for an account whose id does not name the jurisdiction in which the service creates all accounts. */
export function requireJurisdiction(
  { placement: service }: Pick<OperatorContext, "placement">,
  account: string,
): void {
  const fixed = service?.jurisdiction ?? null;
  if (fixed === null || placementOf(account)?.jurisdiction === fixed) return;
  throw new AccountError(outside(account, fixed));
}

/** Why an account cannot be created or imported in a jurisdiction. */
export const outside = (account: string, jurisdiction: Jurisdiction) =>
  `The id of ${account} does not name the jurisdiction ${jurisdiction}. A key contains the id of its account and leads straight to its data, so an account lives where its id says, and only a new account can get another place.`;
