/**
 * Which addresses may stand in rendered Markdown. The value that is checked is the value that is emitted, and
 * it is checked as a browser would read it: without the control characters that a URL parser drops.
 */
const SCHEMES = new Set(["http", "https", "mailto", "tel", "xmpp", "ftp"]);

/** WHATWG URL, section 4.4: C0 controls and spaces go at both ends, tabs and line breaks anywhere. */
export function withoutControls(url: string): string {
  // No control character has a place in a URL at all, so all of them go everywhere.
  return url.replaceAll(/\p{Cc}/gu, "").trim();
}

/** True for a relative address and for those of the allowed schemes; `url` must be `withoutControls`. */
export function isAllowedUrl(url: string): boolean {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1];
  // A colon in the first part of a path that is no scheme's is harmless to a browser.
  return scheme === undefined || SCHEMES.has(scheme.toLowerCase());
}
