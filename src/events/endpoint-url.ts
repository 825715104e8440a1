/**
 * Checks the URLs of webhook endpoints. Customers choose them, so a request must not reach what only this service can reach:
 * this machine, its network, a cloud's metadata service. A URL is checked by its text when it is saved, and by what its
 * host name resolves to at every connection. Pure, so that every runtime decides alike.
 */
import { hostOf, isLoopback, isPublicHost } from "#hosts.ts";
import { ENDPOINT_URL_CHARS_MAX } from "./bounds.ts";

/** `any`, the operator's choice, also allows private networks and this machine, and http to this machine. */
export type WebhookNetworks = "public" | "any";

/** The normalised URL, or a sentence that says what is wrong with it. */
export type CheckedUrl = { url: string } | { error: string };

const PRIVATE_HOST =
  "This URL leads to a private network or to the server itself, where webhooks are not sent. Enter a URL that is reachable from the internet.";
const TOO_LONG = `The URL is too long: use at most ${ENDPOINT_URL_CHARS_MAX} characters.`;

export function checkEndpointUrl(text: string, networks: WebhookNetworks): CheckedUrl {
  if (text.length > ENDPOINT_URL_CHARS_MAX) return { error: TOO_LONG };
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:\/\//i.test(text.trim())) {
    return { error: "This is not a valid URL. Enter one like https://example.com/webhooks." };
  }
  const error = findError(url, networks);
  if (error !== null) return { error };
  url.hash = "";
  return url.href.length > ENDPOINT_URL_CHARS_MAX ? { error: TOO_LONG } : { url: url.href };
}

function findError(url: URL, networks: WebhookNetworks): string | null {
  const host = hostOf(url);
  if (url.protocol === "http:" && !(networks === "any" && isOwnMachine(host))) {
    return "The URL must start with https://, so that webhooks cannot be read or changed in transit.";
  }
  if (url.username !== "" || url.password !== "") {
    return "Remove the user and password from the URL. Verify webhooks by their signature instead.";
  }
  if (host.endsWith(".")) return "Remove the dot at the end of the host name.";
  if (networks === "any") return url.port === "0" ? "Port 0 is not valid." : null;
  if (!isPublicHost(host)) return PRIVATE_HOST;
  const port = url.port === "" ? 443 : Number(url.port);
  if (port !== 443 && port < UNPRIVILEGED_PORTS_FROM) {
    return `Use port 443, which is the default, or a port from ${UNPRIVILEGED_PORTS_FROM} up.`;
  }
  return null;
}

/** Lower ports belong to other services, which must not get our requests. */
const UNPRIVILEGED_PORTS_FROM = 1_024;

const isOwnMachine = (host: string) => isLoopback(host) || host.endsWith(".localhost");
