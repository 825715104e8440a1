import type { PersonView } from "#api/dashboard/shapes.ts";
import { LedgerEvent } from "../parts/message.tsx";
import { ProblemDetails } from "../request.ts";

/** Why an account cannot make keys or calls yet, or any more; null where it can. The frame says it on every page. */
export type Obstacle = "email_not_verified" | "account_suspended";

export function obstacleOf(person: PersonView | null | undefined): Obstacle | null {
  if (person === null || person === undefined) return null;
  if (!person.verified) return "email_not_verified";
  return person.account?.state === "suspended" ? "account_suspended" : null;
}

export function obstacleIn(error: unknown): Obstacle | null {
  if (!(error instanceof ProblemDetails)) return null;
  const { code } = error;
  return code === "email_not_verified" || code === "account_suspended" ? code : null;
}

/** Where the service refuses what the page still offered. */
export const ObstacleMessage = ({ obstacle }: { obstacle: Obstacle }) =>
  obstacle === "email_not_verified" ? (
    <LedgerEvent tone="warn" live title="Confirm your e-mail address first.">
      Open the link in the letter that we sent you. After that you can create API keys.
    </LedgerEvent>
  ) : (
    <LedgerEvent tone="warn" live title="This account is suspended.">
      Its keys are refused and no new ones can be made. Your credits and your usage stay as they
      are. Ask the operator of this service what to do.
    </LedgerEvent>
  );
