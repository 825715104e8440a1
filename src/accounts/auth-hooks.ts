import type { AuthContext, BetterAuthOptions } from "better-auth";
import { createEmailVerificationToken } from "better-auth/api";
import { accountEmails, requesterNetwork } from "./account-emails.ts";
import type { EventKind } from "./activity-log.ts";
import { type AuthOptions, VERIFY_LINK_SECONDS } from "./auth-options.ts";
import { signUpMark } from "./sign-up-mark.ts";
import { welcome } from "./welcome.ts";

const USER_AGENT_CHARS_MAX = 300;

type UserInfo = Parameters<
  NonNullable<NonNullable<BetterAuthOptions["user"]>["validateUserInfo"]>
>[0];

type SignUpError = "email_not_verified" | "sign_up_closed" | "disposable_email";

/** A user as better-auth passes them to hooks. */
type User = { id: string; email: string; emailVerified: boolean; account?: unknown };

/**
 * Our rules within better-auth's flows.
 *
 * The owner of an address must end up as the only person with access, even if someone else signed up with it first:
 * - The address is verified by the reader of an email. Their browser keeps the password only if it signed up with it, which
 *   a mark in a cookie shows (`sign-up-mark.ts`). In any other browser the password is removed, and the reader sets a new one.
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
  const adapter = async () => (await context()).internalAdapter;

  /** Records an event in the activity log. An error is only logged, because what the event reports has already happened. */
  async function recordEvent(
    user: string,
    kind: EventKind,
    detail: string | null = null,
    address: string | null = null,
  ): Promise<void> {
    await activityLog
      .recordEvent({ user, at: now(), kind, detail, address })
      .catch((cause) => options.logError("Could not record an event in the activity log", cause));
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
    await recordEvent(user.id, "email_verified", null, addressOf(from));
    await linkAccount({ id: user.id, email: user.email, network: networkOf(from) });
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
    requesterNetwork(clientNetworkOf(request), options.secret);

  async function sendLink({ email }: User, request: Request | undefined): Promise<void> {
    const { secret } = await context();
    const token = createEmailVerificationToken(secret, email, undefined, VERIFY_LINK_SECONDS);
    await emails.verifyAddress(email, await token, requesterOf(request));
  }

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
      const { disposable } = options.starterPolicy;
      if (await disposable.isRefused(user.email ?? "")) return { error: "disposable_email" };
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
      const marks = request?.headers.get(SIGN_UP_MARKS_HEADER)?.split(".") ?? [];
      if (!marks.includes(signUpMark(options.secret, user.id))) await removeLogins(user.id);
    },

    async passwordWasReset(user: User, request: Request | undefined) {
      await recordEvent(user.id, "password_reset", null, clientAddressOf(request));
      await emails.passwordChanged(user.email);
      // Whoever sets it reads the emails of this address, and no other password or session is left.
      if (!user.emailVerified) {
        await (await adapter()).deleteUserSessions(user.id);
        await (await adapter()).updateUser(user.id, { emailVerified: true });
      }
    },

    database: {
      user: {
        create: {
          after: async (user, from) => {
            await recordEvent(user.id, "signed_up", null, addressOf(from));
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
              await recordEvent(login.userId, "provider_linked", login.providerId, addressOf(from));
            }
          },
        },
      },
      session: {
        create: {
          // The same client address as in the activity log, and only as much of the user agent as the list of sessions shows.
          before: async (session, from) => ({
            data: {
              ...session,
              ipAddress: addressOf(from) ?? "",
              userAgent: session.userAgent?.slice(0, USER_AGENT_CHARS_MAX) ?? "",
            },
          }),
          after: async ({ userId, ipAddress }) => {
            await recordEvent(userId, "signed_in", null, ipAddress || null);
          },
        },
      },
    } satisfies BetterAuthOptions["databaseHooks"],
  };
}

/** The request in which better-auth writes a row; null where the write does not come from a request. */
type Origin = { headers?: Headers | undefined; request?: Request | undefined } | null;

const addressOf = (from: Origin) =>
  (from?.headers ?? from?.request?.headers)?.get(CLIENT_ADDRESS_HEADER) ?? null;

const networkOf = (from: Origin) =>
  (from?.headers ?? from?.request?.headers)?.get(CLIENT_NETWORK_HEADER) ?? null;

const clientNetworkOf = (request: Request | undefined) =>
  request?.headers.get(CLIENT_NETWORK_HEADER) ?? null;

export const clientAddressOf = (request: Request | undefined) =>
  request?.headers.get(CLIENT_ADDRESS_HEADER) ?? null;

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
