import { readFileSync } from "node:fs";
import type { PriceList } from "#billing/price-list.ts";
import { readPriceList } from "#billing/price-list.ts";
import { type Config, readConfig } from "#config/config.ts";
import { ConfigError } from "#config/read-settings.ts";

/** Reads a node's settings and the price list they name. One error reports everything that is invalid in both. */
export function readNodeSettings(env: Record<string, string | undefined>): {
  config: Config;
  prices: PriceList | null;
} {
  const problems: string[] = [];
  const config = readTexts(env, problems);
  // Its operator would believe that the setting places the data.
  if ((env["TOOLBOOTH_JURISDICTION"] ?? "") !== "")
    problems.push(
      "TOOLBOOTH_JURISDICTION works only on Cloudflare. A server's data lives where you run it.",
    );
  // Read even if other settings are invalid, so that one error reports both.
  const prices = readPrices(env["TOOLBOOTH_PRICES"] ?? "", problems);
  if (config === null || problems.length > 0) throw new ConfigError(problems.join("\n"));
  return { config, prices };
}

function readTexts(env: Record<string, string | undefined>, problems: string[]): Config | null {
  try {
    return readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(error.message);
    return null;
  }
}

function readPrices(given: string, problems: string[]): PriceList | null {
  if (given === "") return null;
  const isText = given.trimStart().startsWith("{");
  const text = isText ? given : readFile(given, problems);
  if (text === null) return null;
  const { prices, problems: found } = readPriceList(text);
  const place = isText ? "TOOLBOOTH_PRICES" : `TOOLBOOTH_PRICES, ${given}`;
  problems.push(...found.map((problem) => `${place}: ${problem}`));
  return prices;
}

function readFile(path: string, problems: string[]): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = WHY[code ?? ""] ?? "it cannot be read";
    problems.push(`TOOLBOOTH_PRICES must be the path of a price list in JSON; ${path}: ${reason}.`);
    return null;
  }
}

const WHY: Record<string, string> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "this user may not read it",
};
