import { NO_PLACES, ONE_OF_THEM, type PlacementRequest } from "#operator/placement.ts";
import {
  JURISDICTIONS,
  type Jurisdiction,
  LOCATIONS,
  type Location,
  NO_PLACEMENT,
  type Placement,
  placementOf,
} from "#placement.ts";
import { oneOf } from "./arguments.ts";
import { CommandError, type Invocation, option, UsageError } from "./command.ts";

/** The options that place accounts on Cloudflare. */
export const PLACEMENT_OPTIONS = {
  location: option("WHERE", oneOf(LOCATIONS)),
  jurisdiction: option("NAME", oneOf(JURISDICTIONS)),
};

export type PlacementArgs = {
  location?: Location | undefined;
  jurisdiction?: Jurisdiction | undefined;
};

export const PLACEMENT_HELP = `On Cloudflare, --location says where the account will live (${LOCATIONS.join(", ")}); choose the place from which most of its calls will come. --jurisdiction (${JURISDICTIONS.join(", ")}) keeps it inside a jurisdiction instead. Neither can be changed later.`;

/** Throws where the options have no effect, before any data is opened. */
export function checkPlacement(
  { location, jurisdiction }: PlacementArgs,
  { remote }: Pick<Invocation, "remote">,
): void {
  if (location !== undefined && jurisdiction !== undefined) throw new UsageError(ONE_OF_THEM);
  const isAsked = location !== undefined || jurisdiction !== undefined;
  if (isAsked && remote === null) throw new CommandError(NO_PLACES);
}

export const orderOf = ({ location, jurisdiction }: PlacementArgs): PlacementRequest => ({
  location: location ?? null,
  jurisdiction: jurisdiction ?? null,
});

/** The members of a placement in JSON. On a server they say where the account would live on Cloudflare. */
export const placementInId = (account: string): Placement => placementOf(account) ?? NO_PLACEMENT;

/** A placement in a table. */
export const placeText = (account: string): string => {
  const { location, jurisdiction } = placementInId(account);
  return jurisdiction === null ? (location ?? "") : `${jurisdiction} (jurisdiction)`;
};
