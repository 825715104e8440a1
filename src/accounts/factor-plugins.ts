import type { BetterAuthOptions } from "better-auth";
import { APIError, createAuthEndpoint, createAuthMiddleware } from "better-auth/api";
import { twoFactor } from "better-auth/plugins/two-factor";
import type { AuthOptions } from "./auth-options.ts";
import { PASSKEY_MODEL } from "./factors.ts";
import { claimTotpCode, findTotp, ISSUER, LOCK_SECONDS, WRONG_CODES_MAX } from "./totp.ts";

/**
 * Second factors within better-auth's flows. Its plugin `two-factor` withholds the session after a right password until a code
 * or a passkey follows. We add to it:
 * - a sign-in with a provider is asked too: a provider links by the email address, so someone who reads the owner's email could
 *   otherwise get in without the second factor
 * - a code counts once
 * - a sign-in in a browser that is signed in replaces its session, so that confirming one's identity leaves no session behind
 */
export type FactorHooks = {
  /** Runs after the second factor of a sign-in, or a passkey, was right. */
  factorUsed(user: string, factor: FactorUsed, headers: Headers | undefined): Promise<void>;
};
export type FactorUsed = "authenticator app" | "recovery code" | "passkey";

/** better-auth's name for the cookie of a sign-in that waits for its second factor. */
const WAITING_COOKIE = "two_factor";
const WAITING_SECONDS = 10 * 60;

/** Paths whose sign-in waits for the second factor of a user who has one. */
export const WITHHELD_PATHS: readonly string[] = ["/sign-in/email", "/callback/:id"];
const FACTOR_OF_PATH: Record<string, FactorUsed> = {
  "/two-factor/verify-totp": "authenticator app",
  "/two-factor/verify-backup-code": "recovery code",
  "/passkey/verify-authentication": "passkey",
};

type Plugin = NonNullable<BetterAuthOptions["plugins"]>[number];
type Endpoint = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0];

export function createFactorPlugins(hooks: FactorHooks, now: () => number): Plugin[] {
  const plugin = twoFactor({
    issuer: ISSUER,
    twoFactorCookieMaxAge: WAITING_SECONDS,
    accountLockout: { maxFailedAttempts: WRONG_CODES_MAX, durationSeconds: LOCK_SECONDS },
    schema: { twoFactor: { modelName: "user_totp" } },
  });
  const own: Plugin = {
    id: "toolbooth-factors",
    schema: SCHEMA,
    endpoints: {
      /** The factors that the sign-in of this browser waits for; null: none waits. */
      showWaiting: createAuthEndpoint("/second-factor", { method: "GET" }, async (ctx) => {
        const user = await findWaiting(ctx);
        if (user === null) return ctx.json({ methods: null });
        const { adapter } = ctx.context;
        const row = await findTotp(ctx.context, user);
        const where = [{ field: "userId", value: user }];
        const passkeys = await adapter.count({ model: PASSKEY_MODEL, where });
        return ctx.json({ methods: { totp: row?.verified === true, passkey: passkeys > 0 } });
      }),
    },
    hooks: {
      before: [
        {
          matcher: ({ path }) => path === "/two-factor/verify-totp",
          handler: createAuthMiddleware((ctx) => rejectUsedCode(ctx, now())),
        },
      ],
      after: [
        ...plugin.hooks.after.map(({ handler }) => ({
          matcher: ({ path = "" }: { path?: string | undefined }) => path === "/callback/:id",
          handler,
        })),
        {
          matcher: ({ context: { newSession } }) => newSession != null,
          handler: createAuthMiddleware((ctx) => signedIn(ctx, hooks)),
        },
      ],
    },
  };
  return [plugin, own];
}

/** Makes a code wrong that was used before, so that the plugin counts it as a wrong one. */
async function rejectUsedCode(ctx: Endpoint, now: number) {
  const user = await findWaiting(ctx);
  const row = user === null ? null : await findTotp(ctx.context, user);
  const code: unknown = ctx.body?.code;
  if (row === null || typeof code !== "string") return;
  if (await claimTotpCode(ctx.context, row, code, now)) return;
  return { context: { body: { ...ctx.body, code: "" } } };
}

/** The user whose sign-in in this browser waits for its second factor. */
async function findWaiting(ctx: Endpoint): Promise<string | null> {
  const { context } = ctx;
  const { name } = context.createAuthCookie(WAITING_COOKIE);
  const id = await ctx.getSignedCookie(name, context.secret);
  if (!id) return null;
  return (await context.internalAdapter.findVerificationValue(id))?.value ?? null;
}

async function signedIn(ctx: Endpoint, hooks: FactorHooks): Promise<void> {
  const { internalAdapter, newSession, authCookies, secret } = ctx.context;
  if (newSession == null) return;
  const factor = FACTOR_OF_PATH[ctx.path];
  if (factor !== undefined) await hooks.factorUsed(newSession.user.id, factor, ctx.headers);
  const earlier = await ctx.getSignedCookie(authCookies.sessionToken.name, secret);
  if (!earlier || earlier === newSession.session.token) return;
  const found = await internalAdapter.findSession(earlier);
  if (found?.user.id === newSession.user.id) await internalAdapter.deleteSession(earlier);
}

/** The tables of passkeys and our column of codes. The plugin `passkey` has the same table; it is loaded only where it is used. */
const SCHEMA = {
  twoFactor: {
    modelName: "user_totp",
    fields: { usedStep: { type: "number", required: false, defaultValue: 0, input: false } },
  },
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
} satisfies NonNullable<Plugin["schema"]>;

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
 * Every passkey proves that its user was present and was verified by the device (PIN, fingerprint), so that it can replace a
 * password and a second factor together.
 */
export async function loadPasskeyPlugin(
  { rpId, origin }: PasskeyPlace,
  now: AuthOptions["now"],
): Promise<Plugin> {
  const { passkey } = await import("@better-auth/passkey");
  return passkey({
    rpID: rpId,
    rpName: ISSUER,
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
