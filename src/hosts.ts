import { isLoopbackAddress } from "#networks.ts";

/** The host of a URL as the URL standard writes it: lower case, IPv4 in decimal parts, IPv6 without brackets. Throws for text that is no URL. */
export const hostOf = (url: string | URL): string => new URL(url).hostname.replace(/^\[|\]$/g, "");

/** Whether the host is this machine: `localhost` or an address of it. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || isLoopbackAddress(host);
