import type { UserView } from "#api/dashboard/shapes.ts";
import { Failure, Message } from "../parts/message.tsx";
import { ProblemDetails } from "../request.ts";

/** Whether a suspended account may not do it. The frame shows a banner about it on every page. */
export const isSuspended = (user: UserView | null | undefined): boolean =>
  user?.account.state === "suspended";

/** Whether the service rejected it because the account is suspended, which the page may not have known. */
const isSuspension = (error: unknown): boolean =>
  error instanceof ProblemDetails && error.code === "account_suspended";

/** An error of an action that the page still offered. */
export const KeyFailure = ({ error }: { error: unknown }) =>
  isSuspension(error) ? (
    <Message tone="warn" live title="Your account is suspended.">
      API calls with your keys are rejected, and you cannot create new keys. You keep your credits
      and your usage history. Contact the operator of this service.
    </Message>
  ) : (
    <Failure error={error} />
  );
