import type { LookupFunction } from "node:net";
import { resolveLocally, resolvePublicly } from "#events/node-webhook-transport.ts";
import { isPublicAddress } from "#hosts.ts";
import { privateHost, requireReachable } from "#tools/own-tool-context.ts";

/**
 * Returns Node's `fetch` for a tool. Every connection is to an address that has been checked, also after a redirect: a tool that names no
 * hosts reaches nothing but the public internet, whatever a name resolves to.
 */
export function openToolFetch(hosts: readonly string[] | undefined): typeof fetch {
  // Most tools do without it, and it takes a while to load.
  let dispatcher: Dispatcher | undefined;
  return (to, init) => {
    dispatcher ??= openDispatcher(hosts);
    return fetch(to, { ...init, dispatcher } as never);
  };
}

function openDispatcher(hosts: readonly string[] | undefined): Dispatcher {
  const agent = new (dispatcherOfNode().constructor as new (options: object) => Dispatcher)({
    connect: { lookup: lookupFor(hosts) },
  });
  return agent.compose((dispatch) => (request, handler) => {
    requireReachable(request.origin, hosts);
    return dispatch(request, handler);
  });
}

/** The parts of undici's dispatchers that are used here (undici.nodejs.org/#/docs/api/Dispatcher). */
type Dispatch = (request: { origin: string | URL }, handler: unknown) => boolean;
type Dispatcher = { compose(interceptor: (dispatch: Dispatch) => Dispatch): Dispatcher };

/** The undici within Node cannot be imported; its `Agent` is the class of the dispatcher of Node's own `fetch`. */
function dispatcherOfNode(): object {
  // Loads it.
  new Headers();
  const found = (globalThis as Record<symbol, unknown>)[Symbol.for("undici.globalDispatcher.1")];
  if (typeof found !== "object" || found === null || !("compose" in found))
    throw new Error("This version of Node has no dispatcher for fetch");
  return found;
}

const LOOKUP_TIMEOUT_MS = 10_000;

const lookupFor =
  (hosts: readonly string[] | undefined): LookupFunction =>
  (host, { all }, callback) => {
    const resolve = hosts === undefined ? resolvePublicly : resolveLocally;
    resolve(host, AbortSignal.timeout(LOOKUP_TIMEOUT_MS)).then(
      (addresses) => {
        const [first] = addresses;
        const isFine =
          hosts !== undefined || addresses.every(({ address }) => isPublicAddress(address));
        if (first === undefined) callback(notFound(host), "");
        else if (!isFine) callback(new TypeError(privateHost(host)), "");
        else if (all === true) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (cause) => callback(cause, ""),
    );
  };

const notFound = (host: string): NodeJS.ErrnoException =>
  Object.assign(new Error(`There is no host ${host}`), { code: "ENOTFOUND" });
