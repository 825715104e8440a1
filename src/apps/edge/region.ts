import { atLocation, type Location, type Placement } from "#placement.ts";

/**
 * What Cloudflare knows of where a request comes from (`request.cf`). All of it may be missing, and the coordinates are text.
 * `country` is `T1` for Tor.
 */
export type Region = {
  continent?: unknown;
  country?: unknown;
  longitude?: unknown;
};

/** Returns where an account that this request opens will live: in the service's jurisdiction, else near the client. */
export function placementFor(service: Placement, request: Request): Placement {
  if (service.jurisdiction !== null) return service;
  const { cf } = request as { cf?: Region | null };
  return atLocation(locationOf(cf ?? {}) ?? service.location);
}

/** Returns the location hint for a region; null if the region is not known. */
export function locationOf({ continent, country, longitude }: Region): Location | null {
  // The country comes first: Hawaii is in Oceania.
  if (country === "US" || country === "CA") return americaAt(longitude);
  if (typeof country === "string" && EASTERN_EUROPE.has(country)) return "eeur";
  if (typeof country === "string" && MIDDLE_EAST.has(country)) return "me";
  if (continent === "NA") return americaAt(longitude);
  return CONTINENTS.get(continent) ?? null;
}

/** Halfway between San Jose and Ashburn, where most of the data centers are. East of it live more people, so it is the default. */
const AMERICA_MIDDLE_LONGITUDE = -100;

function americaAt(longitude: unknown): Location {
  const degrees = typeof longitude === "string" ? Number.parseFloat(longitude) : Number.NaN;
  return degrees < AMERICA_MIDDLE_LONGITUDE ? "wnam" : "enam";
}

const CONTINENTS: ReadonlyMap<unknown, Location> = new Map([
  ["EU", "weur"],
  ["SA", "sam"],
  ["AS", "apac"],
  ["OC", "oc"],
  ["AF", "afr"],
] as const);

const countries = (codes: string) => new Set(codes.split(" "));

/** The east of Europe, and those neighbors in Asia whose cables lead there. */
const EASTERN_EUROPE = countries(
  "AL BA BG BY CY CZ EE GR HR HU LT LV MD ME MK PL RO RS RU SI SK UA XK AM AZ GE KG KZ TJ TM TR UZ",
);
const MIDDLE_EAST = countries("AE BH EG IL IQ IR JO KW LB OM PS QA SA SY YE");
