import type { AuthContext, BetterAuthOptions } from "better-auth";
import { APIError } from "better-auth/api";
import type { AuthOptions } from "./auth-options.ts";

/** Passkeys: the plugin of better-auth, and what the account settings do with them. */

type Plugin = NonNullable<BetterAuthOptions["plugins"]>[number];

export type Passkey = {
  id: string;
  userId: string;
  name: string | null;
  credentialID: string;
  createdAt: Date | string | null;
  lastUsedAt: Date | string | null;
};

export const PASSKEYS_MAX = 20;
const PASSKEY_MODEL = "passkey";

export function createPasskeys(
  adapter: () => Promise<Pick<AuthContext["adapter"], "findMany" | "update">>,
) {
  const ofUser = (user: string) => [{ field: "userId", value: user }];
  return {
    /** Oldest first. */
    async list(user: string): Promise<Passkey[]> {
      const { findMany } = await adapter();
      const found = await findMany<Passkey>({ model: PASSKEY_MODEL, where: ofUser(user) });
      return found.sort((a, b) => timeOf(a.createdAt) - timeOf(b.createdAt));
    },
    async rename(user: string, id: string, name: string): Promise<Passkey | null> {
      const { update } = await adapter();
      const where = [{ field: "id", value: id }, ...ofUser(user)];
      return update<Passkey>({ model: PASSKEY_MODEL, where, update: { name } });
    },
  };
}

const timeOf = (at: Date | string | null) => (at === null ? 0 : new Date(at).getTime());

/** Where passkeys work: their domain, and the origin of the pages under it. */
export type PasskeyPlace = { rpId: string; origin: string };

/**
 * Passkeys belong to a domain name and need a secure origin, so they do not work under an IP address or under plain HTTP, except
 * on `localhost`. Returns the first origin of the pages where they work; null if there is none.
 */
export function passkeyPlaceOf(origins: readonly string[]): PasskeyPlace | null {
  for (const origin of origins) {
    const { hostname, protocol } = new URL(origin);
    const isAddress = /^\[|^[\d.]+$/.test(hostname);
    const isSecure = protocol === "https:" || /(?:^|\.)localhost$/.test(hostname);
    if (!isAddress && isSecure) return { rpId: hostname, origin };
  }
  return null;
}

/**
 * The plugin `passkey`. It is loaded by the first request that needs it: its parsers of certificates take 0.2 s and 8 MB.
 * Every passkey proves that its user was present and was verified by the device (PIN, fingerprint), so that an account may
 * require it.
 */
export async function loadPasskeyPlugin(
  { rpId, origin }: PasskeyPlace,
  { name, now }: Pick<AuthOptions, "name" | "now">,
): Promise<Plugin> {
  const { passkey } = await import("@better-auth/passkey");
  return passkey({
    rpID: rpId,
    rpName: name,
    origin,
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    advanced: { webAuthnChallengeCookie: "passkey" },
    schema: { passkey: { modelName: "user_passkey" } },
    registration: {
      async afterVerification({ ctx, verification: { registrationInfo } }) {
        if (registrationInfo?.userVerified !== true) throw notVerified();
        const { adapter } = ctx.context;
        const where = [{ field: "credentialID", value: registrationInfo.credential.id }];
        if ((await adapter.count({ model: PASSKEY_MODEL, where })) === 0) return;
        const message = "This passkey is already registered.";
        throw new APIError("BAD_REQUEST", { code: "PASSKEY_TAKEN", message });
      },
    },
    authentication: {
      async afterVerification({ ctx, verification: { authenticationInfo } }) {
        if (!authenticationInfo.userVerified) throw notVerified();
        await ctx.context.adapter.update({
          model: PASSKEY_MODEL,
          where: [{ field: "credentialID", value: authenticationInfo.credentialID }],
          update: { lastUsedAt: new Date(now()) },
        });
      },
    },
  });
}

const notVerified = () =>
  new APIError("BAD_REQUEST", {
    code: "USER_NOT_VERIFIED",
    message:
      "This passkey did not verify who you are. Set a PIN or a fingerprint for it, and try again.",
  });

/** The table of passkeys. The plugin has the same one; it is loaded only where it is used. */
export const passkeyTable = {
  id: "toolbooth-passkey-table",
  schema: {
    passkey: {
      modelName: "user_passkey",
      fields: {
        userId: {
          type: "string",
          required: true,
          references: { model: "users", field: "id" },
          index: true,
        },
        name: { type: "string", required: false },
        credentialID: { type: "string", required: true, index: true },
        publicKey: { type: "string", required: true },
        counter: { type: "number", required: true },
        deviceType: { type: "string", required: true },
        backedUp: { type: "boolean", required: true },
        transports: { type: "string", required: false },
        aaguid: { type: "string", required: false },
        createdAt: { type: "date", required: false },
        lastUsedAt: { type: "date", required: false },
      },
    },
  },
} satisfies Plugin;
