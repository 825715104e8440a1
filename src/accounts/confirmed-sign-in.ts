import type { BetterAuthPlugin } from "better-auth";
import { createAuthMiddleware } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";

/**
 * Signs a user in when they confirm their address, in a browser that keeps its password (`auth-hooks.ts`): the mark of the sign-up
 * shows that the reader of the email knows the password, so asking for it again would add nothing.
 *
 * Only the request that confirms the address signs in. A link that is opened again opens no session, because it stays valid for a
 * day and its browser may have other users by then.
 */
export type Confirmations = {
  /** The user whose address this request has confirmed in the browser that signed up; undefined for any other request. */
  confirmedBy(request: Request): string | undefined;
};

export const confirmedSignIn = ({ confirmedBy }: Confirmations): BetterAuthPlugin => ({
  id: "toolbooth-confirmed-sign-in",
  hooks: {
    after: [
      {
        matcher: ({ path }) => path === "/verify-email",
        handler: createAuthMiddleware(async (ctx) => {
          const confirmed = ctx.request && confirmedBy(ctx.request);
          if (confirmed === undefined) return;
          const { internalAdapter } = ctx.context;
          const [user, logins] = await Promise.all([
            internalAdapter.findUserById(confirmed),
            internalAdapter.findAccounts(confirmed),
          ]);
          if (user?.emailVerified !== true || needsSecondFactor(user)) return;
          // Another sign-up may have removed the password in the meantime; then the reader of the email sets one.
          if (logins.length === 0) return;
          const session = await internalAdapter.createSession(user.id);
          await setSessionCookie(ctx, { session, user });
        }),
      },
    ],
  },
});

/** A user without a confirmed address cannot set one up. If that changes, the sign-in has to ask for it. */
const needsSecondFactor = (user: object): boolean =>
  "twoFactorEnabled" in user && user.twoFactorEnabled === true;
