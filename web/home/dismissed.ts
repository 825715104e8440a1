import { useState } from "react";
import { DAY_MS } from "../parts/numbers.ts";
import { readStored, store } from "../shell/storage.ts";

/** Suggestions that were dismissed in this browser, with the time, by account and suggestion. */
const NAME = "tb-dismissed-suggestions";
const KEPT_MS = 90 * DAY_MS;
type Dismissed = Record<string, number>;

/** What was stored, without what is too old; anything that this code did not write counts as nothing. */
export function readDismissed(text: string | null, now: number): Dismissed {
  try {
    const stored: unknown = JSON.parse(text ?? "{}");
    if (typeof stored !== "object" || stored === null) return {};
    return Object.fromEntries(
      Object.entries(stored).filter(([, at]) => typeof at === "number" && at > now - KEPT_MS),
    );
  } catch {
    return {};
  }
}

/** Whether this account dismissed a suggestion, and how to dismiss one. It lasts while the page is open if storage is disabled. */
export function useDismissed(account: string, now: number) {
  const [dismissed, setDismissed] = useState(() => readDismissed(readStored(NAME), now));
  const nameOf = (id: string) => `${account} ${id}`;
  return {
    isDismissed: (id: string) => Object.hasOwn(dismissed, nameOf(id)),
    dismiss(id: string) {
      // Another tab may have stored others meanwhile.
      const stored = readDismissed(readStored(NAME), now);
      const next = { ...dismissed, ...stored, [nameOf(id)]: now };
      setDismissed(next);
      store(NAME, JSON.stringify(next));
    },
  };
}
