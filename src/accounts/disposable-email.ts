import { NotCarriedOut } from "#ledger/port.ts";

/**
 * Addresses at providers of disposable addresses, by the list of disposable-email-domains-js: accounts with such an address get no
 * starter credits and no free call. The list is read when an address is first checked, because only sign-up needs it (11,000
 * domains, 170 kB).
 */
export type DisposableEmail = (email: string) => Promise<boolean>;

/**
 * `read`: the domains of the list, needed once. Rejects with `NotCarriedOut` while it cannot be read: an address that was not checked
 * is not accepted, and the next caller tries again. Concurrent callers each read it, because on Cloudflare one request may not
 * wait for another's promise.
 */
export function createDisposableEmail(read: () => Promise<readonly string[]>): DisposableEmail {
  let domains: ReadonlySet<string> | null = null;
  return async (email) => {
    domains ??= new Set(await read().catch(fail));
    return isListed(domains, email);
  };
}

function fail(cause: unknown): never {
  const reason = cause instanceof Error ? cause.message : String(cause);
  throw new NotCarriedOut(`The list of disposable domains could not be read: ${reason}`, { cause });
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
