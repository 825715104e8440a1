import { givenIn, readAddress } from "#config/read-settings.ts";
import { hostOf, isLoopback } from "#hosts.ts";

/** Of what a Worker is bound to the texts, among which its settings are. */
export const textsIn = (env: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter((each): each is [string, string] => typeof each[1] === "string"),
  );

/** What both Workers must be given, beyond what is asked of settings anywhere. `config`: how Wrangler is told which Worker. */
export function requireEdgeSettings(
  texts: Record<string, string>,
  faults: string[],
  config = "",
): void {
  const given = givenIn(texts);
  const publicUrl = given("PUBLIC_URL");
  const address = publicUrl === undefined ? null : readAddress(publicUrl);
  if (publicUrl === undefined) {
    faults.push("PUBLIC_URL must be set: the https address at which the service is reached.");
  } else if (address?.startsWith("http:") && !isLoopback(hostOf(address))) {
    faults.push("At the edge PUBLIC_URL begins with https: people could not sign in otherwise.");
  } else if (address !== null && new URL(address).pathname !== "/") {
    // On a machine a proxy takes the path away; here nothing does.
    faults.push("At the edge PUBLIC_URL has no path: publish the service on a host of its own.");
  }
  if (given("SECRET") === undefined) {
    faults.push(`SECRET must be set: \`npx wrangler secret put SECRET${config}\`.`);
  }
}
