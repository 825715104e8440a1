import { type BetterAuthOptions, betterAuth } from "better-auth";
import { APIError } from "better-auth/api";
import { NotCarriedOut } from "#ledger/port.ts";
import { requesterNetwork } from "./account-emails.ts";
import { createAttempts } from "./attempts.ts";
import { CLIENT_ADDRESS_HEADER, createAuthHooks } from "./auth-hooks.ts";
import {
  AUTH_PATH,
  type AuthOptions,
  cookiePath,
  cookiePrefix,
  type SignedIn,
} from "./auth-options.ts";
import { emailSignIn } from "./email-sign-in.ts";
import { hashedSessions } from "./hashed-sessions.ts";
import { keyedHex } from "./keyed-hash.ts";
import {
  createPasskeys,
  loadPasskeyPlugin,
  type PasskeyPlace,
  passkeyPlaceOf,
  passkeyTable,
} from "./passkeys.ts";

/**
 * Sign-in to the dashboard without passwords, built on better-auth below `/dashboard/auth`: sessions, sign-in with a provider and
 * passkeys are its own, sign-in by email is our plugin (`email-sign-in.ts`). We add an account in the ledger for each new user, an
 * activity log, and the rules of `auth-hooks.ts`. Only the routes in `api/dashboard/auth-routes.ts` reach it.
 */
export type Auth = ReturnType<typeof createAuth>;

const PASSKEY_PATH = `${AUTH_PATH}/passkey/`;
const SESSION_SECONDS = 30 * 86_400;
const SESSION_RENEWED_AFTER_SECONDS = 86_400;

export function createAuth(options: AuthOptions) {
  const hooks = createAuthHooks(options, () => context());
  const plugins = [hashedSessions(), emailSignIn(), passkeyTable];
  const settings = {
    appName: options.name,
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
    ...tables(hooks),
    ...limits(options),
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
    passkeyHandler ??= loadPasskeyPlugin(at, options).then(
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
      createdAt: found.createdAt.getTime(),
      account: found.account ?? null,
      requiresPasskey: found.requiresPasskey === true,
    };
    const provedAt = session.createdAt.getTime();
    return { signedIn: { user, session: { id: session.id, provedAt } }, cookies };
  }

  /**
   * Signs in the person who has shown that they read the emails of this address; signs them up where they have no user. `headers` are the
   * client's, with those of `auth-hooks.ts`.
   */
  async function signInByEmail(
    order: { email: string; method: "code" | "link" },
    headers: Headers,
  ): Promise<EmailSignIn & { cookies: string[] }> {
    try {
      const sent = await auth.api.signInByEmail({ body: order, headers, returnHeaders: true });
      return { ...sent.response, cookies: sent.headers.getSetCookie() };
    } catch (error) {
      if (error instanceof APIError && error.body?.code === "sign_up_closed") {
        return { outcome: "sign_up_closed", cookies: [] };
      }
      throw error;
    }
  }

  const adapter = async () => (await context()).adapter;
  const { secret, earlierSecrets = [], newId, now } = options;
  const secrets = [secret, ...earlierSecrets];

  return {
    networkMark: (network: string | null) => requesterNetwork(network, secret),
    handle: (request: Request) => rethrowDatabaseErrors(() => handle(request)),
    /** Where passkeys work; null: nowhere under the address of this service. */
    passkeyPlace: place,
    passkeys: createPasskeys(adapter),
    attempts: createAttempts({ secrets, adapter, newId, now }),
    signInByEmail,
    signedIn,
    context,
    linkAccount: hooks.linkAccount,
    maySignUp: hooks.maySignUp,
  };
}

export type EmailSignIn =
  | { outcome: "signed_in"; signedUp: boolean }
  | { outcome: "passkey_required" | "sign_up_closed" };

/**
 * The secrets in the form in which better-auth encrypts with the first and decrypts with all. A version is derived from its secret,
 * so that it stays the same when another secret is put before it.
 */
const versioned = (secrets: readonly string[]) =>
  [...new Set(secrets)].map((value) => ({
    version: Number.parseInt(keyedHex(value, "toolbooth secret version").slice(0, 12), 16),
    value,
  }));

type Hooks = ReturnType<typeof createAuthHooks>;

/** The tables that better-auth uses, and what may be written to them. */
function tables(hooks: Hooks) {
  return {
    user: {
      modelName: "users",
      additionalFields: {
        account: { type: "string", required: false, input: false },
        requiresPasskey: { type: "boolean", required: false, input: false },
      },
      validateUserInfo: (info) => hooks.checkUser(info),
    },
    session: {
      modelName: "user_session",
      expiresIn: SESSION_SECONDS,
      // Handlers that need a fresh proof ask for it themselves (`requireFreshProof`).
      freshAge: 0,
      updateAge: SESSION_RENEWED_AFTER_SECONDS,
    },
    account: {
      modelName: "user_login",
      // We never act for users at GitHub or Google, so their tokens are not stored.
      updateAccountOnSignIn: false,
      // The state of a social sign-in is in an encrypted cookie, so the database has nothing that could continue one.
      storeStateStrategy: "cookie",
      accountLinking: { enabled: true, trustedProviders: [] },
    },
    // The challenges of passkeys.
    verification: { modelName: "user_token", storeIdentifier: "hashed" },
  } satisfies BetterAuthOptions;
}

/** Request limits and cookies. Limits count by network address, so that strangers cannot lock a user out. */
function limits({ publicUrl, inBackground, newId, counts, isForOneRequest = false }: AuthOptions) {
  return {
    rateLimit: {
      enabled: true,
      window: 60,
      max: 120,
      customStorage: { consume: async (name, rule) => counts.count(`requests ${name}`, rule) },
      customRules: {
        "/sign-in/social": { window: 60, max: 20 },
        "/passkey/*": { window: 60, max: 30 },
      },
    },
    advanced: {
      cookiePrefix: `${cookiePrefix(publicUrl)}tb`,
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

/**
 * Messages that better-auth logs as errors although it only rejected a request. The client gets the reason in the response, and
 * the log must not contain text that clients choose. better-auth passes neither a code nor the request to its logger, so
 * its messages are all there is to recognise.
 */
const REJECTED_REQUEST =
  /^(?:Invalid |Missing or null Origin|Blocked cross-site|INVALID_CALLBACK_REQUEST|State |Failed to parse state|OAuth issuer mismatch|No callback URL|Provider not found|Unable to link account - untrusted|account_not_linked|signup_disabled|sign_up_closed|email_not_verified)/i;

/** The plugin for passkeys logs a response of a browser that is not valid in the same way as a database that failed. */
const PASSKEY_FAILED = /^Failed to verify (?:registration|authentication)/;
const IS_DATABASE_ERROR = /SQLITE|D1_/i;

const MESSAGE_CHARS_MAX = 200;
const CAUSE_CHARS_MAX = 2_000;

/** Logs an error of better-auth, cut to a length, unless it concerns only a rejected request. */
function logAuthError({ logError }: AuthOptions, message: string, cause: unknown): void {
  const isClientError = cause instanceof APIError && cause.statusCode < 500;
  if (isClientError || REJECTED_REQUEST.test(message)) return;
  if (PASSKEY_FAILED.test(message) && !IS_DATABASE_ERROR.test(describe(cause) ?? "")) return;
  logError(`Sign-in: ${message.slice(0, MESSAGE_CHARS_MAX)}`, describe(cause));
}

function describe(cause: unknown): string | undefined {
  if (cause === undefined) return undefined;
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : textOf(cause);
  return text.slice(0, CAUSE_CHARS_MAX);
}

function textOf(cause: unknown): string {
  try {
    return JSON.stringify(cause) ?? String(cause);
  } catch {
    return String(cause);
  }
}
