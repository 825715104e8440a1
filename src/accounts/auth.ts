import { type BetterAuthOptions, betterAuth } from "better-auth";
import { APIError, createEmailVerificationToken } from "better-auth/api";
import { verifyJWT } from "better-auth/crypto";
import { NotCarriedOut } from "#ledger/port.ts";
import { accountEmails } from "./account-emails.ts";
import { CLIENT_ADDRESS_HEADER, createAuthHooks } from "./auth-hooks.ts";
import { logErrorOf } from "./auth-log.ts";
import {
  AUTH_PATH,
  type AuthOptions,
  cookiePath,
  cookieStart,
  PASSWORD_CHARS_MAX,
  PASSWORD_CHARS_MIN,
  RESET_LINK_SECONDS,
  type SignedIn,
  VERIFY_LINK_SECONDS,
} from "./auth-options.ts";

/**
 * People's sign-in on better-auth: sessions, passwords, verification of addresses, social sign-in. Everything that it
 * does lies below `/dashboard/auth`. What we add: an account in the ledger once an address is verified, letters through
 * our own mail, a journal, and rules against taking over an address before its owner comes (`auth-hooks.ts`).
 */
export type Auth = ReturnType<typeof createAuth>;

const SESSION_SECONDS = 30 * 86_400;
const SESSION_RENEWED_AFTER_SECONDS = 86_400;

export function createAuth(options: AuthOptions) {
  const hooks = createAuthHooks(options, () => context());
  const auth = betterAuth({
    appName: "Toolbooth",
    // With its path: better-auth takes what it answers under from here, below a path of PUBLIC_URL too.
    baseURL: `${options.publicUrl}${AUTH_PATH}`,
    secret: options.secret,
    database: options.database,
    trustedOrigins: [...options.trustedOrigins],
    socialProviders: options.providers,
    // Where a social sign-in comes back that went wrong.
    // Faults of ours go to the door, which tells of them; else they end on the console.
    onAPIError: {
      errorURL: `${options.publicUrl}/sign-in`,
      onError(error) {
        if (!(error instanceof APIError)) throw error;
      },
    },
    ...passwords(options, hooks),
    ...people(options, hooks),
    ...bounds(options),
    databaseHooks: hooks.database,
    telemetry: { enabled: false },
    logger: {
      level: "error",
      log: (_, message, ...details) => logErrorOf(options, message, details[0]),
    },
  });
  const context = () => auth.$context;
  const { rethrowDatabaseErrors = (act) => act() } = options;

  /** Who asks, and the cookies by which an older session is prolonged. */
  async function signedIn(
    headers: Headers,
  ): Promise<{ signedIn: SignedIn | null; cookies: string[] }> {
    const result = await auth.api.getSession({ headers, returnHeaders: true }).catch((cause) => {
      // Its word for a database that could not be asked. Whatever was to be done was not begun.
      if (cause instanceof APIError && cause.statusCode === 500)
        throw new NotCarriedOut("The session could not be read", { cause });
      throw cause;
    });
    const cookies = result.headers.getSetCookie();
    if (result.response === null) return { signedIn: null, cookies };
    const { user, session } = result.response;
    const person = {
      id: user.id,
      email: user.email,
      verified: user.emailVerified,
      createdAt: user.createdAt.getTime(),
      account: user.account ?? null,
    };
    return { signedIn: { person, session: { id: session.id } }, cookies };
  }

  const emails = accountEmails(options);

  return {
    handle: (request: Request) => rethrowDatabaseErrors(() => auth.handler(request)),
    signedIn,
    context,
    linkAccount: hooks.linkAccount,
    readLink: async (token: string) => readLink(token, (await context()).secret),
    /** The letters of a move to an address that somebody has: sent like those of any other, so that nobody learns it. */
    confirmMove(from: string, to: string): void {
      const payload = { requestType: FIRST_STEP };
      options.inBackground(
        context()
          .then(({ secret }) =>
            createEmailVerificationToken(secret, from, to, VERIFY_LINK_SECONDS, payload),
          )
          .then((token) => emails.confirmMove(from, to, token)),
      );
    },
    notifyOwner: (to: string): void => options.inBackground(emails.alreadyHere(to)),
  };
}

/** What a true link of a letter is for; null for any other. */
async function readLink(token: string, secret: string): Promise<Link | null> {
  const claims = await verifyJWT<Record<string, unknown>>(token, secret);
  if (claims === null || typeof claims["email"] !== "string") return null;
  const { email, updateTo, requestType } = claims;
  return {
    email,
    updateTo: typeof updateTo === "string" ? updateTo : null,
    isLast: requestType === LAST_STEP,
  };
}

/** `updateTo`: the address to which it moves an account; `isLast`: the second of the two letters for that. */
export type Link = { email: string; updateTo: string | null; isLast: boolean };

/** Better-auth's names for the two steps of a move. */
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
      async sendResetPassword({ user, token }) {
        await emails.reset(user.email, token);
      },
      onPasswordReset: ({ user }, request) => hooks.passwordWasReset(user, request),
      onExistingUserSignUp: ({ user }, request) => hooks.signedUpAgain(user, request),
    },
    emailVerification: {
      sendOnSignUp: true,
      sendOnSignIn: true,
      expiresIn: VERIFY_LINK_SECONDS,
      sendVerificationEmail: ({ user, token }, request) =>
        hooks.sendVerification(user, token, request),
      beforeEmailVerification: (user, request) => hooks.beforeVerification(user, request),
    },
  } satisfies BetterAuthOptions;
}

/** Whom better-auth keeps, in which tables. */
function people(options: AuthOptions, hooks: Hooks) {
  const emails = accountEmails(options);
  return {
    user: {
      modelName: "person",
      additionalFields: { account: { type: "string", required: false, input: false } },
      validateUserInfo: (info) => hooks.checkSignUp(info),
      changeEmail: {
        enabled: true,
        async sendChangeEmailConfirmation({ user, newEmail, token }) {
          await emails.confirmMove(user.email, newEmail, token);
        },
      },
    },
    session: {
      modelName: "person_session",
      expiresIn: SESSION_SECONDS,
      updateAge: SESSION_RENEWED_AFTER_SECONDS,
    },
    account: {
      modelName: "person_login",
      // We never act for people at GitHub or Google, so what we could do it with is not kept.
      updateAccountOnSignIn: false,
      // A provider that has verified the address may link to a person who has not: `databaseHooks` clears the way first.
      accountLinking: { enabled: true, trustedProviders: [], requireLocalEmailVerified: false },
    },
    verification: { modelName: "person_token" },
  } satisfies BetterAuthOptions;
}

/** How often what may be asked, and by whose word: by network address, so that nobody is locked out by a stranger. */
function bounds({ publicUrl, inBackground, newId, ...options }: AuthOptions) {
  const { countRequest, isForOneRequest = false } = options;
  return {
    rateLimit: {
      enabled: true,
      window: 60,
      max: 120,
      ...(countRequest && { customStorage: { consume: countRequest } }),
      customRules: {
        // Tries of a password have their own throttle, which knows browsers.
        "/sign-in/email": false,
        "/sign-in/social": { window: 60, max: 20 },
        "/sign-up/email": { window: 60, max: 6 },
        "/request-password-reset": { window: 60, max: 4 },
        "/send-verification-email": { window: 60, max: 4 },
        "/change-password": { window: 60, max: 6 },
        "/change-email": { window: 60, max: 4 },
      },
    },
    advanced: {
      cookiePrefix: `${cookieStart(publicUrl)}toolbooth`,
      // It would write a beginning of its own before ours.
      useSecureCookies: false,
      defaultCookieAttributes: {
        ...{ sameSite: "lax", httpOnly: true, path: cookiePath(publicUrl) },
        secure: publicUrl.startsWith("https:"),
      },
      ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
      // An answer that waited for its letter would tell by its duration who is known here.
      backgroundTasks: { handler: inBackground },
      database: { generateId: () => newId(), validateSchema: !isForOneRequest },
    },
  } satisfies BetterAuthOptions;
}
