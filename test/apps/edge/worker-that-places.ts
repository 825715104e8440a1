/** Either Worker of the site, with a record of where each stub would create its object. workerd itself has only one place. */
// @ts-expect-error The Worker is a module of its own, which stands beside this one.
import inner from "worker.mjs";
import type { ObjectNamespace } from "#stores/durable-object/placed-objects.ts";

// @ts-expect-error The same; it has the classes of the objects.
export * from "worker.mjs";

export type Place = { name: string; jurisdiction: string | null; hint: string | null };

type Env = {
  LEDGER: ObjectNamespace<unknown>;
  SIGN_IN?: ObjectNamespace<unknown>;
  SITE?: { fetch(request: Request): Promise<Response> };
};

let places: Place[] = [];

const recorded = (
  objects: ObjectNamespace<unknown>,
  within: string | null = null,
): ObjectNamespace<unknown> => ({
  getByName(name, options) {
    places.push({ name, jurisdiction: within, hint: options?.locationHint ?? null });
    // Other objects than those of the same names outside of the jurisdiction.
    return objects.getByName(within === null ? name : `${within} ${name}`, options);
  },
  jurisdiction: (name) => recorded(objects, name),
});

/** A Worker keeps what it creates for an `env`, so there is only one. */
let kept: Env | undefined;
function envOf({ LEDGER, SIGN_IN, ...rest }: Env): Env {
  kept ??= {
    ...rest,
    LEDGER: recorded(LEDGER),
    ...(SIGN_IN !== undefined && { SIGN_IN: recorded(SIGN_IN) }),
  };
  return kept;
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (new URL(request.url).pathname !== "/test/places")
      return inner.fetch(request, envOf(env)) as Promise<Response>;
    const response = await env.SITE?.fetch(request);
    const ofSite = response === undefined ? [] : ((await response.json()) as Place[]);
    const all = [...places, ...ofSite];
    places = [];
    return Response.json(all);
  },
  scheduled: (event: unknown, env: Env) => inner.scheduled(event, envOf(env)),
};
