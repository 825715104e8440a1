import type { BetterAuthPlugin } from "better-auth";
import { createAuthEndpoint, createAuthMiddleware } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import * as z from "zod";
import { ATTEMPT_SCHEMA } from "./attempts.ts";

/**
 * The better-auth plugin for sign-ins by email: its table of attempts (`attempts.ts`), and an endpoint that signs in a user who has shown
 * that they read the emails of an address. The endpoint has no URL: only our handlers call it, after a code or a link was right.
 */
export const emailSignIn = () =>
  ({
    id: "toolbooth-email-sign-in",
    schema: ATTEMPT_SCHEMA,
    endpoints: {
      signInByEmail: createAuthEndpoint.serverOnly(
        {
          method: "POST",
          body: z.object({ email: z.string(), method: z.enum(["code", "link"]) }),
        },
        async (ctx) => {
          const { internalAdapter } = ctx.context;
          const { email } = ctx.body;
          const find = async () => (await internalAdapter.findUserByEmail(email))?.user;
          const found = await find();
          if (found !== undefined && requiresPasskey(found)) {
            return ctx.json({ outcome: "passkey_required" as const });
          }
          const user =
            found ??
            (await internalAdapter
              .createUser({ email, emailVerified: true, name: "" }, { method: "email" })
              .catch(async (error) => {
                // Of two right codes at once, one makes the user. An account that could not be opened is opened by the next request.
                const made = await find();
                if (made === undefined) throw error;
                return made;
              }));
          const session = await internalAdapter.createSession(user.id);
          await setSessionCookie(ctx, { session, user });
          return ctx.json({ outcome: "signed_in" as const, signedUp: found === undefined });
        },
      ),
    },
    hooks: {
      after: [
        {
          // A sign-in in a browser that is signed in replaces its session, so that confirming one's identity leaves none behind.
          matcher: ({ context: { newSession } }) => newSession != null,
          handler: createAuthMiddleware(async (ctx) => {
            const { internalAdapter, newSession, authCookies, secret } = ctx.context;
            const earlier = await ctx.getSignedCookie(authCookies.sessionToken.name, secret);
            if (earlier && earlier !== newSession?.session.token) {
              await internalAdapter.deleteSession(earlier);
            }
          }),
        },
      ],
    },
  }) satisfies BetterAuthPlugin;

/** Whether only a passkey signs this user in. */
export const requiresPasskey = (user: object): boolean =>
  "requiresPasskey" in user && user.requiresPasskey === true;
