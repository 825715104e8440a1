import type { AuthContext, BetterAuthOptions } from "better-auth";
import { createEmailVerificationToken } from "better-auth/api";
import { accountEmails } from "./account-emails.ts";
import { type AuthOptions, VERIFY_LINK_SECONDS } from "./auth-options.ts";
import type { EventKind } from "./journal.ts";
import { welcome } from "./welcome.ts";

/** The claim in a verification link that names the sign-up it belongs to. */
const MARK = "signUp";
const USER_AGENT_CHARS_MAX = 300;

type UserInfo = Parameters<
  NonNullable<NonNullable<BetterAuthOptions["user"]>["validateUserInfo"]>
>[0];

/** What better-auth hands over of a person. */
type User = { id: string; email: string; emailVerified: boolean } & Record<string, unknown>;

/**
 * Our rules inside of better-auth's flows.
 *
 * Whoever controls an address must end up alone with it, though a stranger may have signed up with it first:
 * - A verification link bears the mark of the sign-up that it belongs to. One without the mark of the sign-up whose
 *   password is stored verifies the address and drops that password; its reader chooses a new one.
 * - Two sign-ups with different passwords before the address is verified: nobody can tell whose the first was, so it
 *   is dropped at once, whichever letter is opened.
 * - A social sign-in whose provider has verified the address drops the logins and the sessions of a person who has not.
 *   One whose provider has not is refused.
 */
export function createAuthHooks(
  options: AuthOptions,
  context: () => Promise<Pick<AuthContext, "secret" | "internalAdapter">>,
) {
  const { accountDeps, journal, now } = options;
  const emails = accountEmails(options);
  const adapter = async () => (await context()).internalAdapter;

  /** What it tells of was done already: where it cannot be noted, nothing is undone. */
  async function note(
    person: string,
    kind: EventKind,
    detail: string | null = null,
    address: string | null = null,
  ): Promise<void> {
    await journal
      .recordEvent({ person, at: now(), kind, detail, address })
      .catch((cause) => options.logError("An event could not be noted", cause));
  }

  /** Ties a verified person to an account; safe to do again where it was broken off. */
  async function linkAccount(person: { id: string; email: string }): Promise<string> {
    const account = await welcome(accountDeps, person, options.starter, now());
    await (await adapter()).updateUser(person.id, { account });
    return account;
  }

  async function verified(user: User, from: Origin): Promise<void> {
    if (!user.emailVerified || typeof user["account"] === "string") return;
    await note(user.id, "email_verified", null, addressOf(from));
    await linkAccount(user);
  }

  /** What a stranger may have left with an address whose owner comes now. */
  async function dropLogins(person: string): Promise<void> {
    const { findAccounts, deleteAccount, deleteUserSessions } = await adapter();
    const logins = await findAccounts(person);
    for (const { id } of logins) await deleteAccount(id);
    await deleteUserSessions(person);
    await journal.dropResetLinks({ person });
  }

  async function sendLink(user: User, mark: string | null): Promise<void> {
    const { secret } = await context();
    const payload = mark === null ? {} : { [MARK]: mark };
    await emails.verify(
      user.email,
      await createEmailVerificationToken(
        secret,
        user.email,
        undefined,
        VERIFY_LINK_SECONDS,
        payload,
      ),
    );
  }

  async function isOwnPassword(person: string, request: Request | undefined): Promise<boolean> {
    const login = await (await adapter()).findCredentialAccount(person);
    const password = (await bodyOf(request))["password"];
    if (typeof login?.password !== "string" || typeof password !== "string") return false;
    return options.verifyPassword(login.password, password);
  }

  return {
    linkAccount,

    /**
     * Where sign-up is closed, only those come in for whom the operator has opened an account; the answer tells nobody.
     * An address that GitHub or Google has not verified may be a stranger's.
     */
    async checkSignUp({
      user,
      source,
    }: UserInfo): Promise<{ error: "email_not_verified" | "sign_up_closed" } | undefined> {
      if (source.action === "sign-in") return undefined;
      if (source.method === "oauth" && user.emailVerified !== true) {
        return { error: "email_not_verified" };
      }
      if (options.signUp === "open" || source.action !== "create-user") return undefined;
      const found = await accountDeps.directory.findByEmail({
        email: (user.email ?? "").toLowerCase(),
      });
      return found === null ? { error: "sign_up_closed" } : undefined;
    },

    async sendVerification(user: User, token: string, request: Request | undefined) {
      const path = request === undefined ? "" : new URL(request.url).pathname;
      if (/\/(?:verify-email|change-email)$/.test(path)) {
        await emails.verifyMove(user.email, token);
      } else if (path.endsWith("/send-verification-email")) {
        // Out of a cookie of the browser that asks.
        const { signUps } = await bodyOf(request);
        const own = Array.isArray(signUps) && signUps.includes(user.id);
        await sendLink(user, own ? user.id : null);
      } else {
        // A first sign-up, or a sign-in with the right password: the letter is theirs who know it.
        await sendLink(user, user.id);
      }
    },

    async signedUpAgain(user: User, request: Request | undefined) {
      if (user.emailVerified) {
        await emails.alreadyHere(user.email);
        return;
      }
      const own = await isOwnPassword(user.id, request);
      if (!own) await dropLogins(user.id);
      await sendLink(user, own ? user.id : null);
    },

    /** Better-auth has checked the token that this reads. */
    async beforeVerification(user: User, request: Request | undefined) {
      const token = request && new URL(request.url).searchParams.get("token");
      if (claimsOf(token ?? "")[MARK] !== user.id) await dropLogins(user.id);
    },

    async passwordWasReset(user: User, request: Request | undefined) {
      await note(user.id, "password_reset", null, clientAddressOf(request));
      await emails.passwordChanged(user.email);
    },

    database: {
      user: {
        create: {
          after: async (user, from) => {
            await note(user.id, "signed_up", null, addressOf(from));
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
            if (user !== null && !user.emailVerified) await dropLogins(user.id);
            // We never act for people elsewhere: what that could be done with is not kept.
            return { data: { ...login, accessToken: null, refreshToken: null, idToken: null } };
          },
          async after(login, from) {
            if (login.providerId !== "credential") {
              await note(login.userId, "provider_linked", login.providerId, addressOf(from));
            }
          },
        },
      },
      session: {
        create: {
          // The whole address, as events have it; and no more of a browser's name than a list shows.
          before: async (session, from) => ({
            data: {
              ...session,
              ipAddress: addressOf(from) ?? "",
              userAgent: session.userAgent?.slice(0, USER_AGENT_CHARS_MAX) ?? "",
            },
          }),
          after: async ({ userId, ipAddress }) => {
            await note(userId, "signed_in", null, ipAddress || null);
          },
        },
      },
    } satisfies BetterAuthOptions["databaseHooks"],
  };
}

/** What a link's token claims; whether it is true, its signature tells. */
function claimsOf(token: string): Record<string, unknown> {
  try {
    const part = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const claims: unknown = JSON.parse(atob(part));
    return typeof claims === "object" && claims !== null ? (claims as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The request in which better-auth keeps something; null where none of its own was asked. */
type Origin = { headers?: Headers | undefined; request?: Request | undefined } | null;

const addressOf = (from: Origin) =>
  (from?.headers ?? from?.request?.headers)?.get(CLIENT_ADDRESS_HEADER) ?? null;

export const clientAddressOf = (request: Request | undefined) =>
  request?.headers.get(CLIENT_ADDRESS_HEADER) ?? null;

async function bodyOf(request: Request | undefined): Promise<Record<string, unknown>> {
  try {
    const body: unknown = await request?.clone().json();
    return typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Where the door writes the network address of the client; whatever a client sends under this name is dropped. */
export const CLIENT_ADDRESS_HEADER = "x-toolbooth-peer";
