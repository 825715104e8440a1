import type { RequestRule, RequestVerdict } from "#accounts/counted-throttle.ts";
import { networksOf } from "#networks.ts";
import { DashboardError } from "./dashboard-error.ts";
import { PROOF_VALID_SECONDS } from "./proof-of-work.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * Requests that anyone can send and that cost us an email or the hash of a password are counted by network and overall.
 * Beyond a count they need a proof of work. They are not rejected: an attacker with many networks would use up a count, and
 * then nobody could sign up. Each single address or /64 also has limits that do reject (`auth.ts`, `sign-in-throttle.ts`).
 */
type Kind = "sign-up" | "sign-in" | "known";

/** How many requests need no proof, in a minute. `middle`: from a /24 or /56; `wide`: from a /16 or /48; `all`: overall. */
type Limits = { middle: number; wide: number; all: number };

const LIMITS: Record<Kind, Limits> = {
  /** Sign-ups, password resets and resent emails. A burst of them fits in the queue of the passwords of a server. */
  "sign-up": { middle: 12, wide: 20, all: 30 },
  /** Sign-ins from browsers that are not known. A burst of them fits in their queue. */
  "sign-in": { middle: 30, wide: 60, all: 60 },
  /**
   * Sign-ins from known browsers. They have a count of their own, which strangers cannot use up. But anyone can have accounts
   * and make browsers known for them, and a few dozen of those would fill the queue. Half of a full queue, so that the wait is short.
   */
  known: { middle: 12, wide: 20, all: 30 },
};

const WINDOW_SECONDS = 60;

/** Counts a request under a name. Returns whether the count is within the rule. */
export type CountPressure = (
  name: string,
  rule: RequestRule,
  at: number,
) => Promise<RequestVerdict> | RequestVerdict;

/**
 * Lets a request pass while there are few of its kind, or with a proof of work that has not been used. Otherwise throws
 * `proof_required`; the page then solves a challenge by itself and repeats the request.
 */
export async function requireProofUnderPressure(
  context: RequestContext,
  kind: Kind,
  proof: string | undefined,
  count: CountPressure,
): Promise<void> {
  if (proof !== undefined) {
    if (await isNewProof(context, proof, count)) return;
    throw proofRequired();
  }
  const [, middle, wide] = networksOf(context.peer ?? "");
  const limits = LIMITS[kind];
  const isWithin = async (name: string, max: number) =>
    (await count(`${kind} ${name}`, { window: WINDOW_SECONDS, max }, context.now)).allowed;
  const ofNetworks = await Promise.all([
    isWithin(middle, limits.middle),
    isWithin(wide, limits.wide),
  ]);
  // What a network sends beyond its own count does not count overall: one network cannot make everyone solve challenges.
  const isCalm = ofNetworks.every(Boolean) && (await isWithin("all", limits.all));
  if (!isCalm) throw proofRequired();
}

/** A proof can be used once, on whichever node. */
async function isNewProof(
  { deps, now }: RequestContext,
  proof: string,
  count: CountPressure,
): Promise<boolean> {
  const id = await deps.proofs.check(proof);
  if (id === null) return false;
  return (await count(`proof ${id}`, { window: PROOF_VALID_SECONDS, max: 1 }, now)).allowed;
}

const proofRequired = () =>
  new DashboardError(
    "proof_required",
    "Many people are using this service right now, so your browser has to do a short calculation first. If this message stays, reload the page and try again with a current browser.",
  );

/** Sends a challenge. Its solution comes with the repeated request. */
export async function issueChallenge({ deps }: RequestContext): Promise<Response> {
  return new Response(JSON.stringify(await deps.proofs.issue()), {
    headers: { "Content-Type": "application/json" },
  });
}
