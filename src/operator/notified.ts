import type { NotifyOutcome } from "#accounts/notify-owner.ts";
import type { Order } from "./operation.ts";

/** Says whether the account's owner gets an email about the change. */
export function sayNotified({ say }: Order, notified: NotifyOutcome): void {
  if (notified === null) return;
  const { emails, error } = notified;
  say(
    error === null
      ? `Queued an email to ${emails}.`
      : `Done, but no email to ${emails} could be queued: ${error}.`,
  );
}
