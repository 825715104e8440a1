/**
 * Addresses at providers of disposable addresses, by the list of disposable-email-domains-js. The list is loaded when an address
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

export const createDisposableEmail = (mode: DisposableEmailMode): DisposableEmail => ({
  losesStarter: async (email) => mode !== "allow" && (await isDisposable(email)),
  isRefused: async (email) => mode === "refuse" && (await isDisposable(email)),
});

let domains: Promise<ReadonlySet<string>> | undefined;

const loadDomains = (): Promise<ReadonlySet<string>> =>
  import("disposable-email-domains-js").then(
    ({ disposableEmailBlocklist }) => new Set(disposableEmailBlocklist()),
  );

/** Whether the list has the domain of the address, or a domain that contains it. */
export async function isDisposable(email: string): Promise<boolean> {
  domains ??= loadDomains();
  const known = await domains;
  const labels = email
    .slice(email.lastIndexOf("@") + 1)
    .toLowerCase()
    .replace(/\.+$/, "")
    .split(".");
  return labels.some((_, index) => known.has(labels.slice(index).join(".")));
}
