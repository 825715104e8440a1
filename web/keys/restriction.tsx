import type { UserView } from "#api/dashboard/shapes.ts";
import { Message } from "../parts/message.tsx";
import { ProblemDetails } from "../request.ts";

/** Why an account cannot create keys or make calls. The frame shows a banner about it on every page. */
export type Restriction = "email_not_verified" | "account_suspended";

export function restrictionOf(user: UserView | null | undefined): Restriction | null {
  if (user === null || user === undefined) return null;
  if (!user.verified) return "email_not_verified";
  return user.account?.state === "suspended" ? "account_suspended" : null;
}

export function restrictionIn(error: unknown): Restriction | null {
  if (!(error instanceof ProblemDetails)) return null;
  const { code } = error;
  return code === "email_not_verified" || code === "account_suspended" ? code : null;
}

/** Shown when the service rejects an action that the page still offered. */
export const RestrictionMessage = ({ restriction }: { restriction: Restriction }) =>
  restriction === "email_not_verified" ? (
    <Message tone="warn" live title="Confirm your email address first.">
      Open the link in the email that we sent you. You can then create API keys.
    </Message>
  ) : (
    <Message tone="warn" live title="Your account is suspended.">
      API calls with your keys are rejected, and you cannot create new keys. You keep your credits
      and your usage history. Contact the operator of this service.
    </Message>
  );
