import type { NotifyOutcome } from "#accounts/notify-owner.ts";
import type { Order } from "./operation.ts";

/** Says whether the account's owner gets an email about the change. */
export function sayNotified({ say }: Order, notified: NotifyOutcome): void {
  if (notified === null) return;
  const { email, error } = notified;
  say(
    error === null
      ? `Queued an email to ${email}. The server sends it within a minute.`
      : `Done, but no email to ${email} could be queued: ${error}.`,
  );
}
