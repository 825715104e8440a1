/** Either Worker of the site, with a record of the objects that it asks for. workerd itself has no jurisdictions. */
// @ts-expect-error The Worker is a module of its own, which stands beside this one.
import inner from "worker.mjs";
import type { ObjectNamespace } from "#stores/durable-object/objects.ts";

// @ts-expect-error The same; it has the classes of the objects.
export * from "worker.mjs";

export type Asked = { name: string; jurisdiction: string | null };

type Env = {
  LEDGER: ObjectNamespace<unknown>;
  SIGN_IN?: ObjectNamespace<unknown>;
  SITE?: { fetch(request: Request): Promise<Response> };
};

const asked: Asked[] = [];

const recorded = (
  objects: ObjectNamespace<unknown>,
  jurisdiction: string | null = null,
): ObjectNamespace<unknown> => ({
  getByName(name) {
    asked.push({ name, jurisdiction });
    // Other objects than those of the same names outside of the jurisdiction.
    return objects.getByName(jurisdiction === null ? name : `${jurisdiction} ${name}`);
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
    if (new URL(request.url).pathname !== "/test/asked")
      return inner.fetch(request, envOf(env)) as Promise<Response>;
    const response = await env.SITE?.fetch(request);
    const ofSite = response === undefined ? [] : ((await response.json()) as Asked[]);
    return Response.json([...asked, ...ofSite]);
  },
  scheduled: (event: unknown, env: Env) => inner.scheduled(event, envOf(env)),
};
