import { hostOf, isLoopback } from "#hosts.ts";
import { accountPart } from "#ids.ts";
import { NotCarriedOut } from "#ledger/port.ts";
import {
  atLocation,
  isPlaced,
  type Jurisdiction,
  type Location,
  type Placement,
  placementNamed,
  placementOf,
} from "#placement.ts";

/** The part of a binding to Durable Objects that is used. */
export type ObjectNamespace<Stub> = {
  getByName(name: string, options?: { locationHint: Location }): Stub;
  jurisdiction(name: Jurisdiction): ObjectNamespace<Stub>;
};

/** Objects where they belong. Each function returns a new stub, because one that failed must not be used again. */
export type PlacedObjects<Stub> = {
  /** The object of an account. `location`: the hint for an account whose id names no place; by default the service's own. */
  ofAccount(order: { account: string; location?: Location | null | undefined }): Stub;
  /** An object of the service itself, which no account has. */
  ofService(name: string): Stub;
};

/**
 * Every stub is made here. Cloudflare creates an object at its first use and never moves it, so each stub names the place,
 * whichever part of the service uses it first. On an object that exists the hint has no effect.
 */
export function placedObjects<Stub>(
  namespace: ObjectNamespace<Stub>,
  env: object,
): PlacedObjects<Stub> {
  const texts = env as Record<string, unknown>;
  // The Workers have validated these settings. They place new objects that nothing else places.
  const service = placementNamed(texts["TOOLBOOTH_LOCATION"], texts["TOOLBOOTH_JURISDICTION"]);
  const restricted = new Map<Jurisdiction, ObjectNamespace<Stub>>();

  function within(jurisdiction: Jurisdiction): ObjectNamespace<Stub> {
    let found = restricted.get(jurisdiction);
    found ??= restrict(namespace, jurisdiction, texts["PUBLIC_URL"]);
    restricted.set(jurisdiction, found);
    return found;
  }

  function at({ location, jurisdiction }: Placement, name: string): Stub {
    if (jurisdiction !== null) return within(jurisdiction).getByName(name);
    if (location === null) return namespace.getByName(name);
    return namespace.getByName(name, { locationHint: location });
  }

  return {
    ofAccount({ account, location }) {
      const own = placementOf(account);
      if (own === null) throw new NotCarriedOut(NEWER_PLACE);
      const place = isPlaced(own) ? own : atLocation(location ?? service.location);
      return at(place, accountPart(account));
    },
    ofService: (name) => at(service, name),
  };
}

const NEWER_PLACE =
  "The account lives in a jurisdiction that this version does not know. Deploy the version that created it";

/** Only on one's own machine an object may live outside of its jurisdiction: workerd has none. */
function restrict<Stub>(
  namespace: ObjectNamespace<Stub>,
  jurisdiction: Jurisdiction,
  publicUrl: unknown,
): ObjectNamespace<Stub> {
  try {
    return namespace.jurisdiction(jurisdiction);
  } catch (cause) {
    const isTryOut = typeof publicUrl === "string" && isLoopback(hostOf(publicUrl));
    if (isTryOut && /not implemented in workerd/.test(String(cause))) return namespace;
    throw new NotCarriedOut(`There are no objects in the jurisdiction ${jurisdiction} here`, {
      cause,
    });
  }
}
