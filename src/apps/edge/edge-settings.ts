import { readAddress, textReader } from "#config/read-settings.ts";
import { hostOf, isLoopback } from "#hosts.ts";

/** Returns the text bindings of a Worker; settings are among them. */
export const textsIn = (env: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter((each): each is [string, string] => typeof each[1] === "string"),
  );

/** Checks what both Workers require beyond the rules for every deployment. `config` is the Wrangler option that selects the Worker. */
export function requireEdgeSettings(
  texts: Record<string, string>,
  problems: string[],
  config = "",
): void {
  const read = textReader(texts);
  const publicUrl = read("PUBLIC_URL");
  const address = publicUrl === undefined ? null : readAddress(publicUrl);
  if (publicUrl === undefined) {
    problems.push("PUBLIC_URL must be set to the https URL of the service.");
  } else if (address?.startsWith("http:") && !isLoopback(hostOf(address))) {
    problems.push(
      "On Cloudflare, PUBLIC_URL must begin with https; users could not sign in otherwise.",
    );
  } else if (address !== null && new URL(address).pathname !== "/") {
    // On a server a proxy can strip the path; here nothing does.
    problems.push(
      "On Cloudflare, PUBLIC_URL must not have a path. Give the service its own host name.",
    );
  }
  if (read("SECRET") === undefined) {
    problems.push(`SECRET must be set. Run \`npx wrangler secret put SECRET${config}\`.`);
  }
}
