import type { PersonView } from "#api/dashboard/shapes.ts";
import { Message } from "../parts/message.tsx";
import { ProblemDetails } from "../request.ts";

/** Why an account cannot make keys or calls yet, or any more; null where it can. The frame says it on every page. */
export type Restriction = "email_not_verified" | "account_suspended";

export function restrictionOf(person: PersonView | null | undefined): Restriction | null {
  if (person === null || person === undefined) return null;
  if (!person.verified) return "email_not_verified";
  return person.account?.state === "suspended" ? "account_suspended" : null;
}

export function restrictionIn(error: unknown): Restriction | null {
  if (!(error instanceof ProblemDetails)) return null;
  const { code } = error;
  return code === "email_not_verified" || code === "account_suspended" ? code : null;
}

/** Where the service refuses what the page still offered. */
export const RestrictionMessage = ({ restriction }: { restriction: Restriction }) =>
  restriction === "email_not_verified" ? (
    <Message tone="warn" live title="Confirm your e-mail address first.">
      Open the link in the letter that we sent you. After that you can create API keys.
    </Message>
  ) : (
    <Message tone="warn" live title="This account is suspended.">
      Its keys are refused and no new ones can be created. Your credits and your usage stay as they
      are. Ask the operator of this service what to do.
    </Message>
  );
