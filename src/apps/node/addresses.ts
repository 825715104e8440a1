import { type Config, urlOf } from "#config/config.ts";
import { transportKindOf } from "#email/read-mail-settings.ts";
import { hostOf, isLoopback } from "#hosts.ts";
import { accentWarning } from "#site/accent.ts";

/** The settings that decide under which addresses the service is reached. */
type Listening = Pick<Config, "host" | "publicUrl">;

const isEverywhere = (host: string) => host === "0.0.0.0" || /^[0:]*:[0:]*$/.test(host);

/** Returns whether only the operator's own machine can reach the service, as when trying it. */
export const isOwnMachine = ({ host, publicUrl }: Listening) =>
  isLoopback(host) && (publicUrl === null || isLoopback(hostOf(publicUrl)));

/** Returns the base URL of links. Without PUBLIC_URL it is an address that works at least from this machine. */
export const baseOf = ({ host, publicUrl }: Listening, port: number): string =>
  publicUrl ?? urlOf(isEverywhere(host) ? "localhost" : host, port);

/** Returns the allowed origins of the dashboard. Without PUBLIC_URL, all names of this machine count: `localhost` is `127.0.0.1`. */
export function originsOf(config: Listening, port: number): string[] {
  const own = new URL(baseOf(config, port)).origin;
  const { host, publicUrl } = config;
  if (publicUrl !== null || !(isLoopback(host) || isEverywhere(host))) return [own];
  const names = ["127.0.0.1", "localhost", "::1"].map((name) => new URL(urlOf(name, port)).origin);
  return [...new Set([own, ...names])];
}

/** Returns warnings for a service that others can reach; none for a service on the operator's own machine. */
export function warningsOf(
  config: Listening & Pick<Config, "mail" | "look">,
  outboxFolder: string,
  port: number,
): string[] {
  const warnings: string[] = [];
  if (config.publicUrl === null && !isLoopback(config.host)) {
    warnings.push(
      `PUBLIC_URL is not set. Links in emails and pages point to ${baseOf(config, port)}, and users can sign in only there. Set PUBLIC_URL to the address that users open.`,
    );
  }
  if (transportKindOf(config.mail) === "outbox" && !isOwnMachine(config)) {
    warnings.push(
      `No emails are sent because neither SMTP_URL nor MAIL_API_TOKEN is set. Emails and their links stay in ${outboxFolder}, so only you can sign in. Set one of the two, and MAIL_FROM.`,
    );
  }
  const warning = accentWarning(config.look.accent);
  if (warning !== null) warnings.push(warning);
  return warnings;
}
