import { hostOf, isPublicHost } from "#hosts.ts";
import { toBase64 } from "./base64.ts";
import { encodeUtf8 } from "./text.ts";

/** What own tools get of their runtime: the values of their settings, and the network. */

type Settings = Readonly<Record<string, string | undefined>>;

/** The names of a tool's settings that are not set, which stops a start. */
export const missingSecrets = (names: readonly string[], settings: Settings): string[] =>
  names.filter((name) => (settings[name] ?? "") === "");

/** The values of a tool's settings. */
export const secretsOf = (names: readonly string[], settings: Settings): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, settings[name] ?? ""]));

/**
 * Returns the runtime's `fetch` for a call of a tool: with the call's signal, and for hosts that the tool may reach. What a name resolves
 * to, and where a response redirects to, only the runtime can check.
 */
export const guardFetch =
  (send: typeof fetch, hosts: readonly string[] | undefined, signal: AbortSignal): typeof fetch =>
  async (to, init = {}) => {
    const isRequest = typeof to === "object" && "url" in to;
    requireReachable(isRequest ? to.url : to, hosts);
    const other = init.signal ?? (isRequest ? to.signal : null);
    const signals = other === null ? [signal] : [signal, other];
    return send(to, { ...init, signal: AbortSignal.any(signals) });
  };

/** The text with the names of secrets in place of their values, also where these are in a URL, in JSON or in HTTP Basic. */
export const hideSecrets = (text: string, secrets: Readonly<Record<string, string>>): string =>
  // The longest first: one may be a part of another.
  longestFirst(secrets).reduce((hidden, [name, value]) => {
    if (value === "") return hidden;
    const inForm = new URLSearchParams([["", value]]).toString().slice(1);
    const inPath = encodeURIComponent(value);
    // The query of a URL escapes the apostrophe, too.
    const inQuery = inPath.replaceAll("'", "%27");
    const inJson = JSON.stringify(value).slice(1, -1);
    const inBasic = toBase64(encodeUtf8(value));
    return [value, inForm, inPath, inQuery, inJson, inBasic].reduce(
      (rest, each) => rest.replaceAll(each, `[${name}]`),
      hidden,
    );
  }, text);

const longestFirst = (secrets: Readonly<Record<string, string>>) =>
  Object.entries(secrets).sort(([, one], [, other]) => other.length - one.length);

/** Throws a TypeError if a tool that names `hosts` may not reach the host of the URL. */
export function requireReachable(url: string | URL, hosts: readonly string[] | undefined): void {
  const host = hostOf(url);
  if (hosts === undefined ? isPublicHost(host) : hosts.includes(host)) return;
  throw new TypeError(hosts === undefined ? privateHost(host) : unnamedHost(host));
}

/** `host`: a name, or an address that it resolves to. */
export const privateHost = (host: string): string =>
  `${host} is not on the public internet. If the tool is meant to reach it, name its host in \`hosts\`.`;
const unnamedHost = (host: string): string => `${host} is not one of the tool's \`hosts\`.`;
