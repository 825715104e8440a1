/** The host of a URL as the URL standard writes it: lower case, IPv4 in decimal parts, IPv6 without brackets. Throws for text that is no URL. */
export const hostOf = (url: string | URL): string => new URL(url).hostname.replace(/^\[|\]$/g, "");

/** Whether the host is this machine: `localhost`, `::1` or an address in 127.0.0.0/8. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
