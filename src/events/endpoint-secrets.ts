import type { RandomBytes } from "#ids.ts";
import { DAY_MS } from "#limits.ts";
import { createSealer, SealError, type Sealer } from "#seal.ts";
import type { Endpoint } from "./event-store.ts";

/**
 * The secrets of webhook endpoints. Their owner sees a secret once, when it is made. Stores have it sealed for its endpoint, so
 * neither a copy of the database nor a secret moved to another endpoint can sign a webhook.
 */
export type EndpointSecrets = Pick<Endpoint, "secret" | "previousSecret" | "previousUntil">;

export const endpointSealer = (secrets: readonly string[]): Sealer =>
  createSealer(secrets, "webhook endpoint");

/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** Returns a secret in the format of Standard Webhooks. */
export const newEndpointSecret = (random: RandomBytes): string =>
  `whsec_${btoa(String.fromCharCode(...random(SECRET_BYTES)))}`;

/** How long webhooks are also signed with the secret before a rotation, so that receivers can change theirs without a gap. */
const PREVIOUS_SECRET_MS = DAY_MS;

/** Returns the secrets that sign a webhook at this time, the current one first. Throws a `SealError` if one cannot be opened. */
export async function signingSecrets(
  endpoint: EndpointSecrets & { id: string },
  sealer: Pick<Sealer, "open">,
  now: number,
): Promise<string[]> {
  const { id, secret } = endpoint;
  const { previousSecret } = validPrevious(endpoint, now);
  const sealed = previousSecret === null ? [secret] : [secret, previousSecret];
  return Promise.all(sealed.map((each) => sealer.open(each, id)));
}

/** Returns what to store after a rotation, and the new secret for the owner. */
export async function rotated(
  { id, secret }: EndpointSecrets & { id: string },
  sealer: Sealer,
  random: RandomBytes,
  now: number,
): Promise<{ secrets: EndpointSecrets; shown: string }> {
  const shown = newEndpointSecret(random);
  const previous = await sealer.open(secret, id).catch((error) => {
    // It cannot sign any more, so there is nothing to keep.
    if (error instanceof SealError) return null;
    throw error;
  });
  return {
    shown,
    secrets: {
      secret: await sealer.seal(shown, id),
      previousSecret: previous === null ? null : await sealer.seal(previous, id),
      previousUntil: previous === null ? null : now + PREVIOUS_SECRET_MS,
    },
  };
}

/**
 * Returns the secrets sealed with the first of the service's secrets; null if they are already. After SECRET was rotated, this
 * moves endpoints to the new one as they are used.
 */
export async function resealed(
  endpoint: EndpointSecrets & { id: string },
  sealer: Sealer,
  now: number,
): Promise<EndpointSecrets | null> {
  const { id, secret } = endpoint;
  const { previousSecret, previousUntil } = validPrevious(endpoint, now);
  const again = async (sealed: string) => sealer.seal(await sealer.open(sealed, id), id);
  const all = previousSecret === null ? [secret] : [secret, previousSecret];
  if (all.every((each) => sealer.isCurrent(each))) return null;
  return {
    secret: await again(secret),
    previousSecret: previousSecret === null ? null : await again(previousSecret),
    previousUntil,
  };
}

const validPrevious = ({ previousSecret, previousUntil }: EndpointSecrets, now: number) =>
  previousUntil !== null && now < previousUntil
    ? { previousSecret, previousUntil }
    : { previousSecret: null, previousUntil: null };
