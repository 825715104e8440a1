import { accountPart, PLACEMENT_CHARS, UNPLACED } from "#ids.ts";

/**
 * Where the Durable Object of an account lives on Cloudflare. The id of the account says it, because a key contains the id and
 * leads straight to the object: every request can name the place without a look-up, and whichever comes first creates the object
 * there. Servers and PostgreSQL keep the id as it is; there it has no effect.
 */

/** Cloudflare's location hints (developers.cloudflare.com/durable-objects/reference/data-location) with their codes in ids. */
const LOCATION_CODES = {
  wnam: "a",
  enam: "b",
  sam: "c",
  weur: "d",
  eeur: "e",
  apac: "f",
  oc: "g",
  afr: "h",
  me: "i",
} as const;

/** Cloudflare's jurisdictions, from the same page. Unlike a hint, a jurisdiction is a guarantee. */
const JURISDICTION_CODES = { eu: "E", fedramp: "F", us: "U" } as const;

export type Location = keyof typeof LOCATION_CODES;
export type Jurisdiction = keyof typeof JURISDICTION_CODES;

export const LOCATIONS = Object.keys(LOCATION_CODES) as Location[];
export const JURISDICTIONS = Object.keys(JURISDICTION_CODES) as Jurisdiction[];

/**
 * At most one of the two is set. Both null: nothing says where the object should live. Cloudflare documents no combination, and a
 * jurisdiction already places an object near its first request.
 */
export type Placement =
  | { location: Location; jurisdiction: null }
  | { location: null; jurisdiction: Jurisdiction }
  | { location: null; jurisdiction: null };

export const NO_PLACEMENT: Placement = { location: null, jurisdiction: null };
export const isPlaced = ({ location, jurisdiction }: Placement) =>
  location !== null || jurisdiction !== null;
export const atLocation = (location: Location | null): Placement =>
  location === null ? NO_PLACEMENT : { location, jurisdiction: null };
export const inJurisdiction = (jurisdiction: Jurisdiction): Placement => ({
  location: null,
  jurisdiction,
});

/** Reads names from settings and messages. A jurisdiction wins, because it is a promise; an unknown name counts as none. */
export function placementNamed(location: unknown, jurisdiction: unknown): Placement {
  if (isJurisdiction(jurisdiction)) return inJurisdiction(jurisdiction);
  return atLocation(isLocation(location) ? location : null);
}

/** The last character of the account part. Codes never change their meaning, because ids are for ever. */
export function placementCode({ location, jurisdiction }: Placement): string {
  if (jurisdiction !== null) return JURISDICTION_CODES[jurisdiction];
  return location === null ? UNPLACED : LOCATION_CODES[location];
}

const PLACEMENTS: ReadonlyMap<string, Placement> = new Map(
  [NO_PLACEMENT, ...LOCATIONS.map(atLocation), ...JURISDICTIONS.map(inJurisdiction)].map((each) => [
    placementCode(each),
    each,
  ]),
);

/**
 * Returns where an account lives. A newer version may have made codes that are unknown here. Upper case is kept for
 * jurisdictions: null, because the account must not be looked for elsewhere. Others are hints, which an older version may ignore.
 */
export function placementOf(accountId: string): Placement | null {
  const code = accountPart(accountId).slice(-PLACEMENT_CHARS);
  return PLACEMENTS.get(code) ?? (/^[A-Z]$/.test(code) ? null : NO_PLACEMENT);
}

export const isLocation = (name: unknown): name is Location =>
  typeof name === "string" && Object.hasOwn(LOCATION_CODES, name);
export const isJurisdiction = (name: unknown): name is Jurisdiction =>
  typeof name === "string" && Object.hasOwn(JURISDICTION_CODES, name);
