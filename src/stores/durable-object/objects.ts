import { accountPart } from "#ids.ts";

/** The part of a binding to Durable Objects that is used. */
export type ObjectNamespace<Stub> = {
  getByName(name: string): Stub;
  jurisdiction(name: string): ObjectNamespace<Stub>;
};

/** The service's objects. Each function returns a new stub, because one that failed must not be used again. */
export type Objects<Stub> = {
  ofAccount(order: { account: string }): Stub;
  /** An object of the service itself, which no account has. */
  ofService(name: string): Stub;
};

/**
 * Every stub is made here. Cloudflare creates an object near the first request for it and does not move it. In a jurisdiction the same
 * name is another object, so all parts of the service must look for it there; the Workers have validated the setting.
 */
export function objectsOf<Stub>(namespace: ObjectNamespace<Stub>, env: object): Objects<Stub> {
  const { TOOLBOOTH_JURISDICTION: jurisdiction } = env as { TOOLBOOTH_JURISDICTION?: unknown };
  const objects =
    typeof jurisdiction === "string" && jurisdiction !== ""
      ? namespace.jurisdiction(jurisdiction)
      : namespace;
  return {
    ofAccount: ({ account }) => objects.getByName(accountPart(account)),
    ofService: (name) => objects.getByName(name),
  };
}
