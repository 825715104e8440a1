/**
 * The list that a sign-up is checked against. Node imports it when it is first needed; `toolbooth build cloudflare` puts it among the assets of
 * the site Worker, because its code would grow.
 */
export async function readDisposableDomains(): Promise<readonly string[]> {
  const { disposableEmailBlocklist } = await import("disposable-email-domains-js");
  return disposableEmailBlocklist();
}
