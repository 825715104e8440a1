import type { Config } from "#config/config.ts";
import { readAddress } from "#config/read-settings.ts";
import { hostOf, isLoopback } from "#hosts.ts";
import { type Command, ProblemDetails, WrongUsage } from "../command.ts";

/** A service that is reached over the network: where it is, and what lets the operator in. */
export type Remote = { url: string; token: string };

/**
 * The service that `--remote` or TOOLBOOTH_REMOTE names; null where neither does. The token comes from the environment
 * alone: what is typed can be read by everybody on the machine, and stays in the shell's history.
 */
export function readRemote(
  command: Command,
  typed: string | undefined,
  config: Pick<Config, "remote" | "operatorTokens">,
): Remote | null {
  const named = typed ?? config.remote;
  if (named === null || named === "") return null;
  const { hereOnly, name } = command;
  if (hereOnly !== undefined) throw new ProblemDetails(`${name} ${hereOnly}`);
  const source = typed === undefined ? "TOOLBOOTH_REMOTE" : "--remote";
  const url = readServiceAddress(named, source);
  const [first] = config.operatorTokens;
  if (first === undefined) {
    throw new ProblemDetails(
      `The token of the operator is needed for ${url}: set TOOLBOOTH_OPERATOR_TOKEN in the environment to one that the service was given under that name.`,
    );
  }
  return { url, token: first.token };
}

function readServiceAddress(text: string, source: string): string {
  const address = readAddress(text);
  if (address === null) {
    // Not repeated: it may hold a password.
    throw new WrongUsage(
      `${source} must be the address of a service, as in https://tools.example.com, without user, password, query and fragment.`,
    );
  }
  if (address.startsWith("http:") && !isLoopback(hostOf(address))) {
    throw new WrongUsage(
      `${source} begins with http://, and the token would travel readable for everybody on the way. Use https://.`,
    );
  }
  return address;
}
