import type { Config } from "#config.ts";
import { hostOf, isLoopback, readAddress } from "#read-settings.ts";
import { type Command, Refusal, WrongUsage } from "./cli-command.ts";

/** A deployed service: where it is, and what lets the operator in. */
export type Remote = { url: string; token: string };

/**
 * The service that `--remote` or TOOLBOOTH_REMOTE names; null where neither does. The token comes from the environment
 * alone: what is typed can be read by everybody on the machine, and stays in the shell's history.
 */
export function readRemote(
  command: Command,
  typed: string | undefined,
  config: Pick<Config, "remote" | "operatorToken">,
): Remote | null {
  const named = typed ?? config.remote;
  const { only, name } = command;
  if (named === null || named === "") {
    if (only?.on === "remote") throw new WrongUsage(`${name} ${only.otherwise}`);
    return null;
  }
  if (only?.on === "data") throw new Refusal(`${name} ${only.otherwise}`);
  const source = typed === undefined ? "TOOLBOOTH_REMOTE" : "--remote";
  const url = readServiceAddress(named, source);
  if (config.operatorToken === null) {
    throw new Refusal(
      `The token of the operator is needed for ${url}: set TOOLBOOTH_OPERATOR_TOKEN in the environment to the secret of that name which the service was given.`,
    );
  }
  return { url, token: config.operatorToken };
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
