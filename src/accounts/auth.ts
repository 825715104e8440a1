import { bytesToHex } from "@noble/hashes/utils.js";
import { type BetterAuthOptions, betterAuth } from "better-auth";
import { APIError, createEmailVerificationToken } from "better-auth/api";
import { verifyJWT } from "better-auth/crypto";
import { NotCarriedOut } from "#ledger/port.ts";
import { accountEmails, requesterNetwork } from "./account-emails.ts";
import { CLIENT_ADDRESS_HEADER, createAuthHooks } from "./auth-hooks.ts";
import { logAuthError } from "./auth-log.ts";
import {
  AUTH_PATH,
  type AuthOptions,
  cookiePath,
  cookiePrefix,
  PASSWORD_CHARS_MAX,
  PASSWORD_CHARS_MIN,
  RESET_LINK_SECONDS,
  type SignedIn,
  VERIFY_LINK_SECONDS,
} from "./auth-options.ts";
import { confirmedSignIn } from "./confirmed-sign-in.ts";
import {
  createFactorPlugins,
  loadPasskeyPlugin,
  type PasskeyPlace,
  passkeyPlaceOf,
} from "./factor-plugins.ts";
import { createFactors } from "./factors.ts";
import { hashedSessions } from "./hashed-sessions.ts";
import { keyedHash } from "./keyed-hash.ts";
import { createPasswordCheck } from "./new-password.ts";
import { signUpMark } from "./sign-up-mark.ts";

/**
 * Sign-in to the dashboard, built on better-auth: sessions, passwords, verification of addresses, social sign-in, all below
 * `/dashboard/auth`. We add an account in the ledger once an address is verified, emails through our own queue, an activity log,
 * and rules against taking over an address before its owner signs up (`auth-hooks.ts`).
 */
export type Auth = ReturnType<typeof createAuth>;

const PASSKEY_PATH = `${AUTH_PATH}/passkey/`;
const SESSION_SECONDS = 30 * 86_400;
const SESSION_RENEWED_AFTER_SECONDS = 86_400;

export function createAuth(options: AuthOptions) {
  const hooks = createAuthHooks(options, () => context());
  const { factorUsed } = hooks;
  const plugins = [
    hashedSessions(),
    // Before the factors, which look at every new session.
    confirmedSignIn(hooks),
    ...createFactorPlugins({ factorUsed }, options.now),
  ];
  const settings = {
    appName: "Toolbooth",
    // better-auth takes its base path from this URL, including a path of PUBLIC_URL.
    baseURL: `${options.publicUrl}${AUTH_PATH}`,
    secret: options.secret,
    secrets: versioned([options.secret, ...(options.earlierSecrets ?? [])]),
    database: options.database,
    trustedOrigins: [...options.trustedOrigins],
    socialProviders: options.providers,
    onAPIError: {
      // A failed social sign-in returns here.
      errorURL: `${options.publicUrl}/sign-in`,
      // Our own errors reach the request handler, which logs them. better-auth would only print them.
      onError(error) {
        if (!(error instanceof APIError)) throw error;
      },
    },
    ...passwords(options, hooks),
    ...tables(options, hooks),
    ...limits(options),
    hooks: { before: createPasswordCheck(options.isCommonPassword) },
    databaseHooks: hooks.database,
    telemetry: { enabled: false },
    logger: {
      level: "error",
      log: (_, message, ...details) => logAuthError(options, message, details[0]),
    },
    plugins,
  } satisfies BetterAuthOptions;
  const auth = betterAuth(settings);
  const context = () => auth.$context;
  const place = passkeyPlaceOf(options.passkeyOrigins ?? options.trustedOrigins);
  let passkeyHandler: Promise<(request: Request) => Promise<Response>> | null = null;
  /** Loads the plugin for passkeys with the first request that needs it. */
  async function handlePasskey(request: Request, at: PasskeyPlace): Promise<Response> {
    passkeyHandler ??= loadPasskeyPlugin(at, options.now).then(
      (plugin) => betterAuth({ ...settings, plugins: [...plugins, plugin] }).handler,
    );
    return (await passkeyHandler)(request);
  }
  const handle = (request: Request) =>
    place !== null && new URL(request.url).pathname.includes(PASSKEY_PATH)
      ? handlePasskey(request, place)
      : auth.handler(request);
  const { rethrowDatabaseErrors = (act) => act() } = options;

  /** Returns who makes the request, and the cookies that extend an older session. */
  async function signedIn(
    headers: Headers,
  ): Promise<{ signedIn: SignedIn | null; cookies: string[] }> {
    const result = await auth.api.getSession({ headers, returnHeaders: true }).catch((cause) => {
      // better-auth reports a database that is unavailable with 500. Nothing has been done at this point.
      if (cause instanceof APIError && cause.statusCode === 500)
        throw new NotCarriedOut("The session could not be read from the database", { cause });
      throw cause;
    });
    const cookies = result.headers.getSetCookie();
    if (result.response === null) return { signedIn: null, cookies };
    const { user: found, session } = result.response;
    const user = {
      id: found.id,
      email: found.email,
      verified: found.emailVerified,
      createdAt: found.createdAt.getTime(),
      account: found.account ?? null,
      hasSecondFactor: found.twoFactorEnabled === true,
    };
    const provedAt = Math.max(session.createdAt.getTime(), session.provedAt?.getTime() ?? 0);
    return { signedIn: { user, session: { id: session.id, provedAt } }, cookies };
  }

  const emails = accountEmails(options);
  const networkMark = (network: string | null) => requesterNetwork(network, options.secret);

  return {
    networkMark,
    handle: (request: Request) => rethrowDatabaseErrors(() => handle(request)),
    /** Where passkeys work; null: nowhere under the address of this service. */
    passkeyPlace: place,
    factors: createFactors(context),
    signedIn,
    context,
    linkAccount: hooks.linkAccount,
    signUpMark: (user: string) => signUpMark(options.secret, user),
    readLink: async (token: string) => readLink(token, (await context()).secret),
    /**
     * Sends the approval email for a change to an address that already has an account. better-auth sends none in this case,
     * which would reveal that the address is taken.
     */
    confirmAddressChange(from: string, to: string, network: string | null): void {
      const payload = { requestType: FIRST_STEP };
      options.inBackground(
        context()
          .then(({ secret }) =>
            createEmailVerificationToken(secret, from, to, VERIFY_LINK_SECONDS, payload),
          )
          .then((token) => emails.confirmAddressChange(from, to, token, networkMark(network))),
      );
    },
    /** Sends the link that verifies the address of a sign-up. */
    sendVerification: (to: string, network: string | null): void =>
      options.inBackground(
        context()
          .then(({ secret }) =>
            createEmailVerificationToken(secret, to, undefined, VERIFY_LINK_SECONDS),
          )
          .then((token) => emails.verifyAddress(to, token, networkMark(network))),
      ),
    notifyOwner: (to: string, network: string | null): void =>
      options.inBackground(emails.addressInUse(to, networkMark(network))),
  };
}

/**
 * The secrets in the form in which better-auth encrypts with the first and decrypts with all. A version is derived from its secret,
 * so that it stays the same when another secret is put before it.
 */
const versioned = (secrets: readonly string[]) =>
  [...new Set(secrets)].map((value) => ({
    version: Number.parseInt(
      bytesToHex(keyedHash(value, "toolbooth secret version")).slice(0, 12),
      16,
    ),
    value,
  }));

type LinkClaims = { email?: unknown; updateTo?: unknown; requestType?: unknown };

/** Returns what a link from an email is for; null where its token is invalid. */
async function readLink(token: string, secret: string): Promise<Link | null> {
  const claims = await verifyJWT<LinkClaims>(token, secret);
  if (claims === null || typeof claims.email !== "string") return null;
  const { email, updateTo, requestType } = claims;
  return {
    email,
    updateTo: typeof updateTo === "string" ? updateTo : null,
    isLast: requestType === LAST_STEP,
  };
}

/** `updateTo`: the new address of the account; `isLast`: whether this is the second of the two emails for that. */
export type Link = { email: string; updateTo: string | null; isLast: boolean };

/** better-auth's names for the two steps of changing an address. */
const FIRST_STEP = "change-email-confirmation";
const LAST_STEP = "change-email-verification";

type Hooks = ReturnType<typeof createAuthHooks>;

function passwords(options: AuthOptions, hooks: Hooks) {
  const emails = accountEmails(options);
  return {
    emailAndPassword: {
      enabled: true,
      requireEmailVerification: true,
      autoSignIn: false,
      minPasswordLength: PASSWORD_CHARS_MIN,
      maxPasswordLength: PASSWORD_CHARS_MAX,
      revokeSessionsOnPasswordReset: true,
      resetPasswordTokenExpiresIn: RESET_LINK_SECONDS,
      password: {
        hash: options.hashPassword,
        verify: ({ hash, password }) => options.verifyPassword(hash, password),
      },
      async sendResetPassword({ user, token }, request) {
        const kind = user.emailVerified ? "verified" : "anyone";
        const network = hooks.requesterOf(request);
        await emails.resetPassword(user.email, token, { kind, network });
      },
      onPasswordReset: ({ user }, request) => hooks.passwordWasReset(user, request),
      onExistingUserSignUp: ({ user }, request) => hooks.signedUpAgain(user, request),
    },
    emailVerification: {
      sendOnSignUp: true,
      // `sendVerification`: the caller counts the request first.
      sendOnSignIn: false,
      expiresIn: VERIFY_LINK_SECONDS,
      sendVerificationEmail: ({ user, token }, request) =>
        hooks.sendVerification(user, token, request),
      beforeEmailVerification: (user, request) => hooks.beforeVerification(user, request),
    },
  } satisfies BetterAuthOptions;
}

/** The tables that better-auth uses, and what may be written to them. */
function tables(options: AuthOptions, hooks: Hooks) {
  const emails = accountEmails(options);
  return {
    user: {
      modelName: "users",
      additionalFields: {
        account: { type: "string", required: false, input: false },
        twoFactorEnabled: { type: "boolean", required: false, input: false },
      },
      validateUserInfo: (info) => hooks.checkSignUp(info),
      changeEmail: {
        enabled: true,
        async sendChangeEmailConfirmation({ user, newEmail, token }, request) {
          const network = hooks.requesterOf(request);
          await emails.confirmAddressChange(user.email, newEmail, token, network);
        },
      },
    },
    session: {
      modelName: "user_session",
      expiresIn: SESSION_SECONDS,
      // Handlers that need a fresh proof ask for it themselves (`requireFreshProof`).
      freshAge: 0,
      additionalFields: { provedAt: { type: "date", required: false, input: false } },
      updateAge: SESSION_RENEWED_AFTER_SECONDS,
    },
    account: {
      modelName: "user_login",
      // We never act for users at GitHub or Google, so their tokens are not stored.
      updateAccountOnSignIn: false,
      // The state of a social sign-in is in an encrypted cookie, so the database has nothing that could continue one.
      storeStateStrategy: "cookie",
      // A provider that has verified the address may link to a user who has not: `databaseHooks` removes other logins first.
      accountLinking: { enabled: true, trustedProviders: [], requireLocalEmailVerified: false },
    },
    // Only hashes of the tokens in links are stored, so a copy of the database opens none.
    verification: { modelName: "user_token", storeIdentifier: "hashed" },
  } satisfies BetterAuthOptions;
}

/** Request limits and cookies. Limits count by network address, so that strangers cannot lock a user out. */
function limits({ publicUrl, inBackground, newId, ...options }: AuthOptions) {
  const { countRequest, isForOneRequest = false } = options;
  return {
    rateLimit: {
      enabled: true,
      window: 60,
      max: 120,
      ...(countRequest && { customStorage: { consume: countRequest } }),
      customRules: {
        // Password attempts have a throttle of their own (`sign-in-throttle.ts`).
        "/sign-in/email": false,
        "/sign-in/social": { window: 60, max: 20 },
        "/sign-up/email": { window: 60, max: 6 },
        "/request-password-reset": { window: 60, max: 4 },
        "/send-verification-email": { window: 60, max: 4 },
        "/change-password": { window: 60, max: 6 },
        "/two-factor/*": { window: 60, max: 12 },
        "/passkey/*": { window: 60, max: 30 },
        "/change-email": { window: 60, max: 4 },
      },
    },
    advanced: {
      cookiePrefix: `${cookiePrefix(publicUrl)}toolbooth`,
      // better-auth would add its own prefix before ours.
      useSecureCookies: false,
      defaultCookieAttributes: {
        sameSite: "lax",
        httpOnly: true,
        path: cookiePath(publicUrl),
        secure: publicUrl.startsWith("https:"),
      },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
      // A response that waited for an email would reveal by its duration which addresses have accounts.
      backgroundTasks: { handler: inBackground },
      database: {
        generateId: () => newId(),
        validateSchema: !isForOneRequest,
        // A session with its user, and a user with their logins, in one query instead of two.
        joins: true,
      },
    },
  } satisfies BetterAuthOptions;
}
