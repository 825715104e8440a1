import { type Config, urlOf } from "#config/config.ts";
import { transportKindOf } from "#email/read-mail-settings.ts";
import { isLoopback } from "#hosts.ts";

/** By which addresses the service is reached, and what the operator should know of that. */
type Listening = Pick<Config, "host" | "publicUrl">;

const isEverywhere = (host: string) => host === "0.0.0.0" || /^[0:]*:[0:]*$/.test(host);

/** Nobody but whoever runs the service reaches it: their own machine, to try it on. */
export const isOwnMachine = ({ host, publicUrl }: Listening) =>
  isLoopback(host) && publicUrl === null;

/** The base of links. Where nobody has set one: an address that leads here from this machine at least. */
export const baseOf = ({ host, publicUrl }: Listening, port: number): string =>
  publicUrl ?? urlOf(isEverywhere(host) ? "localhost" : host, port);

/**
 * The origins of our pages. Where nobody has set an address, people open the service by whichever name this machine
 * has for itself: `localhost` and `127.0.0.1` are the same service.
 */
export function originsOf(config: Listening, port: number): string[] {
  const own = new URL(baseOf(config, port)).origin;
  const { host, publicUrl } = config;
  if (publicUrl !== null || !(isLoopback(host) || isEverywhere(host))) return [own];
  const names = ["127.0.0.1", "localhost", "::1"].map((name) => new URL(urlOf(name, port)).origin);
  return [...new Set([own, ...names])];
}

/** What is to be said at the start where others reach the service; nothing on one's own machine. */
export function warningsOf(
  config: Listening & Pick<Config, "mail">,
  outboxFolder: string,
  port: number,
): string[] {
  const warnings: string[] = [];
  if (config.publicUrl === null && !isLoopback(config.host)) {
    warnings.push(
      `PUBLIC_URL is not set: links in letters and pages lead to ${baseOf(config, port)}, and from any other address nobody can sign up or in. Set it to the address that people use.`,
    );
  }
  if (transportKindOf(config.mail) === "outbox" && !isOwnMachine(config)) {
    warnings.push(
      `Neither SMTP_URL nor MAIL_API_TOKEN is set: no letter is sent. Letters with their links stay in ${outboxFolder}, so nobody but you can confirm an address. Set one of the two, and MAIL_FROM.`,
    );
  }
  return warnings;
}
