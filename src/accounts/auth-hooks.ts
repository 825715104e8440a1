import type { AuthContext, BetterAuthOptions } from "better-auth";
import type { EventKind } from "./activity-log.ts";
import type { AuthOptions } from "./auth-options.ts";
import { requiresPasskey } from "./email-sign-in.ts";
import { type Activity, createRecordActivity, EMAIL_DROPPED } from "./record-activity.ts";
import { welcome } from "./welcome.ts";

const USER_AGENT_CHARS_MAX = 300;

type UserInfo = Parameters<
  NonNullable<NonNullable<BetterAuthOptions["user"]>["validateUserInfo"]>
>[0];

type SignInError = "email_not_verified" | "sign_up_closed" | "passkey_required";

type FoundUser = NonNullable<Awaited<ReturnType<AuthContext["internalAdapter"]["findUserById"]>>>;

/**
 * Our rules within better-auth's flows. Every way to sign in shows that the user reads the emails of the address, or has a passkey
 * that was added by someone who did:
 * - A provider signs in only with an address that it has verified.
 * - For a user who requires a passkey, a provider neither signs in nor is linked.
 * - Where sign-up is closed, only users for whom the operator has opened an account sign up.
 */
export function createAuthHooks(
  options: AuthOptions,
  context: () => Promise<Pick<AuthContext, "internalAdapter">>,
) {
  const { accountDeps, now } = options;
  const recordActivity = createRecordActivity(options);
  /** Requests that signed up a user, whose first session and login are no news. */
  const signUps = new WeakSet<object>();
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

  const isSignUp = (from: Origin) => from !== null && signUps.has(from);

  /** Records a sign-in. The owner gets an email if the browser is new, unless the user signed up in it just now. */
  async function recordSignIn(user: FoundUser, from: Origin): Promise<void> {
    const headers = headersOf(from);
    const isNew =
      headers !== undefined && !isSignUp(from) && !options.isKnownBrowser(headers, user.email);
    const kind = isNew ? "signed_in_new_browser" : "signed_in";
    await recordEvent(user.id, kind, methodOf(from), from, { email: user.email });
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

  /** Links a user to their account; repeating it completes an interrupted call. */
  async function linkAccount(user: {
    id: string;
    email: string;
    network: string | null;
  }): Promise<string> {
    const account = await welcome(accountDeps, user, options, now());
    await (await adapter()).updateUser(user.id, { account });
    return account;
  }

  /** Where sign-up is closed, only addresses for which the operator has opened an account may sign up. */
  async function maySignUp(email: string): Promise<boolean> {
    if (options.signUp === "open") return true;
    return (await accountDeps.directory.findByEmail({ email })) !== null;
  }

  return {
    linkAccount,
    maySignUp,

    /** Decides whether a user may sign up, or sign in or link a login with a provider. */
    async checkUser({ user, source }: UserInfo): Promise<{ error: SignInError } | undefined> {
      const isByProvider = source.method === "oauth";
      if (source.action === "create-user") {
        if (isByProvider && user.emailVerified !== true) return { error: "email_not_verified" };
        const isAllowed = await maySignUp((user.email ?? "").toLowerCase());
        return isAllowed ? undefined : { error: "sign_up_closed" };
      }
      if (!isByProvider) return undefined;
      if (source.action === "link-account" && user.emailVerified !== true) {
        return { error: "email_not_verified" };
      }
      const found = await (await adapter()).findUserById(String(user.id));
      const isBarred = found !== null && requiresPasskey(found);
      return isBarred ? { error: "passkey_required" } : undefined;
    },

    database: {
      user: {
        create: {
          after: async (user, from) => {
            if (from !== null) signUps.add(from);
            const recording = recordEvent(user.id, "signed_up", null, from, { email: user.email });
            const order = { id: user.id, email: user.email, network: networkOf(from) };
            await linkAccount(order).finally(() => recording);
          },
        },
      },
      account: {
        create: {
          // We never act for users at GitHub or Google, so their tokens are not stored.
          before: async (login) => ({
            data: { ...login, accessToken: null, refreshToken: null, idToken: null },
          }),
          // The first way to sign in is part of signing up.
          after: async ({ userId, providerId }, from) =>
            recordEvent(userId, "provider_linked", providerId, from, {
              withoutEmail: isSignUp(from),
            }),
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
            if (user !== null) await recordSignIn(user, from);
          },
        },
      },
    } satisfies BetterAuthOptions["databaseHooks"],
  };
}

/** The endpoint in which better-auth writes a row; null where the write does not come from a request. */
type Origin = {
  headers?: Headers | undefined;
  request?: Request | undefined;
  path?: string | undefined;
  params?: { id?: unknown } | undefined;
  body?: { method?: unknown } | undefined;
} | null;

const headersOf = (from: Origin) => from?.headers ?? from?.request?.headers;
const addressOf = (from: Origin) => headersOf(from)?.get(CLIENT_ADDRESS_HEADER) ?? null;
const networkOf = (from: Origin) => headersOf(from)?.get(CLIENT_NETWORK_HEADER) ?? null;
const userAgentOf = (from: Origin) => headersOf(from)?.get("user-agent") ?? null;

/** How a session was opened: by the `code` or `link` of an email, a `passkey`, or a provider. */
function methodOf(from: Origin): string | null {
  if (from?.path === "/callback/:id") return String(from.params?.id);
  if (from?.path?.startsWith("/passkey/")) return "passkey";
  const method = from?.body?.method;
  return typeof method === "string" ? method : null;
}

/**
 * Headers in which our request handler passes what it knows of the client: its network address, and the network that the budget of
 * starter credits counts. It removes any that a client sends.
 */
export const CLIENT_ADDRESS_HEADER = "x-toolbooth-peer";
export const CLIENT_NETWORK_HEADER = "x-toolbooth-network";
