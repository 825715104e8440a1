import { keepList } from "./lists.ts";

/**
 * Addresses at providers of disposable addresses, by the list of disposable-email-domains-js: accounts with such an address get no
 * starter credits and no free call. The list is read when an address is first checked, because only sign-up needs it (11,000
 * domains, 170 kB).
 */
export type DisposableEmail = (email: string) => Promise<boolean>;

/** `read`: the domains of the list, needed once. Rejects with `NotCarriedOut` while it cannot be read. */
export function createDisposableEmail(read: () => Promise<readonly string[]>): DisposableEmail {
  const domains = keepList("disposable domains", () => read().then((names) => new Set(names)));
  return async (email) => isListed(await domains(), email);
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
