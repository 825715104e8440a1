/**
 * The canonical form of an email address: addresses with the same form reach the same mailbox, as far as its provider's rules
 * are known. It is used for counting only (starter credits once a person, emails for each recipient); emails go to the address
 * as its owner wrote it.
 *
 * - Lower case. A `+` and what follows it in the local part is dropped at every provider. Where a provider treats `+` as an
 *   ordinary character, two people may count as one; they can still sign up.
 * - Domains in ASCII (IDNA), without a final dot.
 * - The rules of `PROVIDERS`.
 */
export function canonicalAddress(email: string): string {
  // One rule may make a text to which another applies, so they run until nothing changes. Addresses need one turn or two.
  let address = email;
  for (let turn = 0; turn < TURNS_MAX; turn += 1) {
    const next = applyRules(address);
    if (next === address) break;
    address = next;
  }
  return address;
}

const TURNS_MAX = 5;

function applyRules(email: string): string {
  const address = email.trim().normalize("NFKC").toLowerCase();
  const at = address.lastIndexOf("@");
  if (at <= 0) return address;
  const written = { local: address.slice(0, at), domain: asciiDomain(address.slice(at + 1)) };
  const { local, domain } = withoutFolder(written);
  const provider = PROVIDERS.find(({ domains }) => domains.test(domain));
  const untagged = unlessEmpty(local.replace(/\+.*$/s, ""), local);
  const canonical = unlessEmpty(provider?.readLocal?.(untagged) ?? untagged, untagged);
  return `${canonical}@${provider?.domain ?? domain}`;
}

type Provider = {
  domains: RegExp;
  /** The domain that stands for all of them, where one local part has the same owner at each. */
  domain?: string;
  readLocal?(local: string): string;
};

const PROVIDERS: readonly Provider[] = [
  {
    // Dots do not count, and googlemail.com is gmail.com (support.google.com/mail/answer/7436150).
    domains: /^(?:gmail|googlemail)\.com$/,
    domain: "gmail.com",
    readLocal: (local) => local.replaceAll(".", ""),
  },
  {
    // One name at all of them; dots, hyphens and underscores do not count, as in Proton's own web client (ProtonMail/WebClients).
    domains: /^(?:proton\.me|pm\.me|protonmail\.(?:com|ch))$/,
    domain: "proton.me",
    readLocal: (local) => local.replace(/[._-]/g, ""),
  },
  {
    // Owners of me.com and mac.com have the same name at icloud.com.
    domains: /^(?:icloud|me|mac)\.com$/,
    domain: "icloud.com",
  },
  {
    // One name at all of them; a dot and a hyphen are the same.
    domains: /^(?:ya\.ru|yandex\.(?:ru|com|by|kz|uz|ua|com\.tr))$/,
    domain: "yandex.ru",
    readLocal: (local) => local.replaceAll("-", "."),
  },
  {
    // A mailbox has no hyphen in its name; disposable addresses are `base-keyword`. Yahoo Japan is
    // another company.
    domains: /^(?:yahoo\.(?!co\.jp$)[a-z]{2,3}(?:\.[a-z]{2})?|ymail\.com|rocketmail\.com)$/,
    readLocal: (local) => local.replace(/-.*$/s, ""),
  },
];

/** At Fastmail, `anything@name.fastmail.com` is delivered to `name@fastmail.com`. */
function withoutFolder(written: { local: string; domain: string }) {
  const [, name, domain] = /^([^.]+)\.(fastmail\.(?:com|fm))$/.exec(written.domain) ?? [];
  return name === undefined || domain === undefined ? written : { local: name, domain };
}

const unlessEmpty = (text: string, fallback: string) => (text === "" ? fallback : text);

/** A text that is no domain is returned as it is. */
function asciiDomain(text: string): string {
  const domain = text.replace(/\.+$/, "");
  if (/[/?#\\:@%[\]\s]/.test(domain)) return domain;
  return URL.parse(`http://${domain}/`)?.hostname.replace(/\.+$/, "") ?? domain;
}
