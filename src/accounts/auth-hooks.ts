import type { AuthContext, BetterAuthOptions } from "better-auth";
import { createEmailVerificationToken } from "better-auth/api";
import { DAY_MS } from "#limits.ts";
import { accountEmails, requesterNetwork } from "./account-emails.ts";
import type { EventKind } from "./activity-log.ts";
import { type AuthOptions, VERIFY_LINK_SECONDS } from "./auth-options.ts";
import { type FactorUsed, WITHHELD_PATHS } from "./factor-plugins.ts";
import { type Activity, createRecordActivity, EMAIL_DROPPED } from "./record-activity.ts";
import { signUpMark } from "./sign-up-mark.ts";
import { welcome } from "./welcome.ts";

const USER_AGENT_CHARS_MAX = 300;
/** As long as a sign-up may wait for its verification. */
const NEW_USER_MS = 7 * DAY_MS;

type UserInfo = Parameters<
  NonNullable<NonNullable<BetterAuthOptions["user"]>["validateUserInfo"]>
>[0];

type SignUpError = "email_not_verified" | "sign_up_closed";

type FoundUser = NonNullable<Awaited<ReturnType<AuthContext["internalAdapter"]["findUserById"]>>>;

/** A user as better-auth passes them to hooks. */
type User = { id: string; email: string; emailVerified: boolean; account?: unknown };

/**
 * Our rules within better-auth's flows.
 *
 * The owner of an address must end up as the only person with access, even if someone else signed up with it first:
 * - The address is verified by the reader of an email. Their browser keeps the password only if it signed up with it, which
 *   a mark in a cookie shows (`sign-up-mark.ts`), and is signed in (`confirmed-sign-in.ts`). In any other browser the password
 *   is removed, and the reader sets a new one.
 * - After two sign-ups with different passwords for an unverified address, the password is removed at once. Nothing but the
 *   link of an email can set another.
 * - A password that is set by the link of an email verifies the address, because it replaces any other.
 * - A social sign-in whose provider has verified the address removes the logins and sessions of an unverified user. One
 *   whose provider has not is rejected.
 */
export function createAuthHooks(
  options: AuthOptions,
  context: () => Promise<Pick<AuthContext, "secret" | "internalAdapter">>,
) {
  const { accountDeps, activityLog, now } = options;
  const emails = accountEmails(options);
  const recordActivity = createRecordActivity(options);
  /** Requests that signed up a user, whose first session is no news. */
  const signUps = new WeakSet<object>();
  /** Requests that confirm the address of this user in a browser that signed up with it. */
  const confirmations = new WeakMap<object, string>();
  /** Users of the sessions that are being stored, by the request's context in better-auth. */
  const owners = new WeakMap<object, { userId: string; reading: Promise<FoundUser | null> }>();
  const adapter = async () => (await context()).internalAdapter;

  /**
   * Records an event in the activity log, with its email. An error is only logged, because what the event reports has already
   * happened.
   */
  async function recordEvent(
    user: string,
    kind: EventKind,
    detail: string | null = null,
    from: Origin = null,
    more: Pick<Activity, "withoutEmail" | "email"> = {},
  ): Promise<void> {
    const [address, userAgent] = [addressOf(from), userAgentOf(from)];
    const activity = { user, at: now(), kind, detail, address, userAgent, ...more };
    await recordActivity(activity).then(
      ({ emailed }) => {
        if (emailed === "queue_full") options.logError(EMAIL_DROPPED);
      },
      (cause) => options.logError("Could not record an event in the activity log", cause),
    );
  }

  const hasSignedUp = (headers: Headers | undefined, user: string) =>
    signUpMarksOf(headers).includes(signUpMark(options.secret, user));

  /** Records a sign-in. The owner gets an email if the browser is new, unless the user signed up in it just now. */
  async function recordSignIn(user: FoundUser, from: Origin): Promise<void> {
    const headers = headersOf(from);
    const isNew = () => {
      if (headers === undefined || (from?.request && signUps.has(from.request))) return false;
      if (options.isKnownBrowser(headers, user.email)) return false;
      const isNewUser = user.createdAt.getTime() > now() - NEW_USER_MS;
      return !(isNewUser && hasSignedUp(headers, user.id));
    };
    const kind = isNew() ? "signed_in_new_browser" : "signed_in";
    await recordEvent(user.id, kind, null, from, { email: user.email });
  }

  /** Begins to read the user of a new session, which is stored meanwhile: at the edge each is a round trip. */
  function readOwner(userId: string, from: Origin): void {
    if (from === null) return;
    const reading = adapter().then(({ findUserById }) => findUserById(userId));
    reading.catch(() => {});
    owners.set(from, { userId, reading });
  }

  async function ownerOf(userId: string, from: Origin): Promise<FoundUser | null> {
    const begun = from === null ? undefined : owners.get(from);
    if (begun?.userId === userId) return begun.reading;
    return (await adapter()).findUserById(userId);
  }

  /** Links a verified user to their account; repeating it completes an interrupted call. */
  async function linkAccount(user: {
    id: string;
    email: string;
    network: string | null;
  }): Promise<string> {
    const account = await welcome(accountDeps, user, options, now());
    await (await adapter()).updateUser(user.id, { account });
    return account;
  }

  async function verified(user: User, from: Origin): Promise<void> {
    if (!user.emailVerified || typeof user.account === "string") return;
    const recording = recordEvent(user.id, "email_verified", null, from, { email: user.email });
    const order = { id: user.id, email: user.email, network: networkOf(from) };
    await linkAccount(order).finally(() => recording);
  }

  /** Removes logins, sessions and reset links that a stranger may have created before the owner of the address. */
  async function removeLogins(user: string): Promise<void> {
    const { findAccounts, deleteAccount, deleteUserSessions } = await adapter();
    const logins = await findAccounts(user);
    for (const { id } of logins) await deleteAccount(id);
    await deleteUserSessions(user);
    await activityLog.dropResetLinks({ user });
  }

  const requesterOf = (request: Request | undefined) =>
    requesterNetwork(networkOf({ request }), options.secret);

  async function sendLink({ email }: User, request: Request | undefined): Promise<void> {
    const { secret } = await context();
    const token = createEmailVerificationToken(secret, email, undefined, VERIFY_LINK_SECONDS);
    await emails.verifyAddress(email, await token, requesterOf(request));
  }

  /** Whether this sign-in still waits for a second factor. The plugin deletes its session before the response. */
  const isWithheld = (user: FoundUser, from: { path?: string | undefined } | null) =>
    WITHHELD_PATHS.includes(from?.path ?? "") &&
    "twoFactorEnabled" in user &&
    user.twoFactorEnabled === true;

  async function isOwnPassword(user: string, request: Request | undefined): Promise<boolean> {
    const login = await (await adapter()).findCredentialAccount(user);
    const { password } = await readBody(request);
    if (typeof login?.password !== "string" || typeof password !== "string") return false;
    return options.verifyPassword(login.password, password);
  }

  return {
    linkAccount,
    requesterOf,

    /**
     * Decides whether a user may sign up or link a login. An address that GitHub or Google has not verified may be a
     * stranger's. Where sign-up is closed, only users for whom the operator has opened an account may sign up.
     */
    async checkSignUp({ user, source }: UserInfo): Promise<{ error: SignUpError } | undefined> {
      if (source.action === "sign-in") return undefined;
      if (source.method === "oauth" && user.emailVerified !== true) {
        return { error: "email_not_verified" };
      }
      if (source.action !== "create-user") return undefined;
      if (options.signUp === "open") return undefined;
      const found = await accountDeps.directory.findByEmail({
        email: (user.email ?? "").toLowerCase(),
      });
      return found === null ? { error: "sign_up_closed" } : undefined;
    },

    async sendVerification(user: User, token: string, request: Request | undefined) {
      const path = request === undefined ? "" : new URL(request.url).pathname;
      if (/\/(?:verify-email|change-email)$/.test(path)) {
        await emails.verifyNewAddress(user.email, token, requesterOf(request));
      } else await emails.verifyAddress(user.email, token, requesterOf(request));
    },

    async signedUpAgain(user: User, request: Request | undefined) {
      if (user.emailVerified) {
        await emails.addressInUse(user.email, requesterOf(request));
        return;
      }
      if (!(await isOwnPassword(user.id, request))) {
        // The owner may have verified the address while the password was compared.
        const current = await (await adapter()).findUserById(user.id);
        if (current?.emailVerified === false) await removeLogins(user.id);
      }
      await sendLink(user, request);
    },

    /** Runs after better-auth has verified the token. Without a mark of this sign-up, the password goes. */
    async beforeVerification(user: User, request: Request | undefined) {
      if (!hasSignedUp(request?.headers, user.id)) await removeLogins(user.id);
      else if (request !== undefined) confirmations.set(request, user.id);
    },

    confirmedBy: (request: Request) => confirmations.get(request),

    /** Records that a factor was used to sign in. */
    factorUsed: (user: string, factor: FactorUsed, headers: Headers | undefined) =>
      recordEvent(user, "factor_used", factor, { headers }),

    async passwordWasReset(user: User, request: Request | undefined) {
      const from = request ? { request } : null;
      await recordEvent(user.id, "password_reset", null, from, { email: user.email });
      // The person who sets it reads the emails of this address, and no other password or session is left.
      if (!user.emailVerified) {
        await (await adapter()).deleteUserSessions(user.id);
        await (await adapter()).updateUser(user.id, { emailVerified: true });
      }
    },

    database: {
      user: {
        create: {
          after: async (user, from) => {
            if (from?.request) signUps.add(from.request);
            await recordEvent(user.id, "signed_up", null, from, { email: user.email });
            await verified(user, from);
          },
        },
        update: { after: verified },
      },
      account: {
        create: {
          async before(login) {
            if (login.providerId === "credential") return;
            const user = await (await adapter()).findUserById(login.userId);
            if (user !== null && !user.emailVerified) await removeLogins(user.id);
            // We never act for users at GitHub or Google, so their tokens are not stored.
            return { data: { ...login, accessToken: null, refreshToken: null, idToken: null } };
          },
          async after(login, from) {
            if (login.providerId !== "credential") {
              // The first way to sign in is part of signing up.
              const logins = await (await adapter()).findAccounts(login.userId);
              const withoutEmail = logins.length < 2;
              const more = { withoutEmail };
              await recordEvent(login.userId, "provider_linked", login.providerId, from, more);
            }
          },
        },
      },
      session: {
        create: {
          // The same client address as in the activity log, and only as much of the user agent as the list of sessions shows.
          before: async (session, from) => {
            readOwner(session.userId, from);
            return {
              data: {
                ...session,
                ipAddress: addressOf(from) ?? "",
                userAgent: session.userAgent?.slice(0, USER_AGENT_CHARS_MAX) ?? "",
              },
            };
          },
          after: async ({ userId }, from) => {
            const user = await ownerOf(userId, from);
            if (user !== null && !isWithheld(user, from)) await recordSignIn(user, from);
          },
        },
      },
    } satisfies BetterAuthOptions["databaseHooks"],
  };
}

/** The request in which better-auth writes a row; null where the write does not come from a request. */
type Origin = { headers?: Headers | undefined; request?: Request | undefined } | null;

const headersOf = (from: Origin) => from?.headers ?? from?.request?.headers;
const addressOf = (from: Origin) => headersOf(from)?.get(CLIENT_ADDRESS_HEADER) ?? null;
const networkOf = (from: Origin) => headersOf(from)?.get(CLIENT_NETWORK_HEADER) ?? null;
const userAgentOf = (from: Origin) => headersOf(from)?.get("user-agent") ?? null;
const signUpMarksOf = (headers: Headers | undefined) =>
  headers?.get(SIGN_UP_MARKS_HEADER)?.split(".") ?? [];

/** The members of the request's JSON body that hooks read; none where it has no such body. */
async function readBody(request: Request | undefined): Promise<{ password?: unknown }> {
  try {
    const body: unknown = await request?.clone().json();
    return typeof body === "object" && body !== null ? body : {};
  } catch {
    return {};
  }
}

/**
 * Headers in which our request handler passes what it knows of the client: its network address, the network that the budget of
 * starter credits counts, and the marks of its sign-ups, separated by dots. It removes any that a client sends.
 */
export const CLIENT_ADDRESS_HEADER = "x-toolbooth-peer";
export const CLIENT_NETWORK_HEADER = "x-toolbooth-network";
export const SIGN_UP_MARKS_HEADER = "x-toolbooth-sign-ups";
