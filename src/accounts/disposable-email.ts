import { keepList } from "./lists.ts";

/**
 * Addresses at providers of disposable addresses, by the list of disposable-email-domains-js. The list is read when an address
 * is first checked, because only sign-up needs it (11,000 domains, 170 kB).
 *
 * - `allow`: such addresses are like any other.
 * - `no_starter`: accounts with such an address get no starter credits and no free call.
 * - `refuse`: nobody can sign up with, or change to, such an address.
 */
export const DISPOSABLE_EMAIL_MODES = ["allow", "no_starter", "refuse"] as const;
export type DisposableEmailMode = (typeof DISPOSABLE_EMAIL_MODES)[number];

export type DisposableEmail = {
  /** Whether an account with this address gets no starter credits. */
  losesStarter(email: string): Promise<boolean>;
  isRefused(email: string): Promise<boolean>;
};

/** `read`: the domains of the list, needed once. Both checks reject with `NotCarriedOut` while it cannot be read. */
export function createDisposableEmail(
  mode: DisposableEmailMode,
  read: () => Promise<readonly string[]>,
): DisposableEmail {
  const domains = keepList("disposable domains", () => read().then((names) => new Set(names)));
  return {
    losesStarter: async (email) => mode !== "allow" && isListed(await domains(), email),
    isRefused: async (email) => mode === "refuse" && isListed(await domains(), email),
  };
}

/** Whether the list has the domain of the address, or a domain that contains it. */
function isListed(known: ReadonlySet<string>, email: string): boolean {
  const labels = email
    .slice(email.lastIndexOf("@") + 1)
    .toLowerCase()
    .replace(/\.+$/, "")
    .split(".");
  return labels.some((_, index) => known.has(labels.slice(index).join(".")));
}
