/**
 * The email address that the user entered last, or confirmed, so that the next form of this page load starts with it. In memory
 * only: a shared computer must not reveal it to its next user.
 */
let known = "";

export const knownAddress = {
  get: (): string => known,
  set(address: string): void {
    known = address.trim();
  },
};

/** The address that the token of a confirmation link is for; empty for anything else. The service alone checks the token. */
export function addressIn(token: string): string {
  try {
    const payload = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(payload), (char) => char.charCodeAt(0));
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof claims !== "object" || claims === null) return "";
    const { email, updateTo } = claims as { email?: unknown; updateTo?: unknown };
    const address = updateTo ?? email;
    return typeof address === "string" ? address : "";
  } catch {
    return "";
  }
}
