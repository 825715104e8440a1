import { readFileSync } from "node:fs";
import type { PriceList } from "#billing/price-list.ts";
import { readPriceList } from "#billing/price-list.ts";
import { type Config, collectConfig } from "#config/config.ts";
import { ConfigError } from "#config/read-settings.ts";
import { isSvg, type Logo, readLogo } from "#site/logo.ts";

/** Reads a node's settings and the price list they name. One error reports everything that is invalid in both. */
export function readNodeSettings(env: Record<string, string | undefined>): {
  config: Config;
  prices: PriceList | null;
  logo: Logo | null;
} {
  const problems: string[] = [];
  const config = collectConfig(env, problems);
  // Its operator would believe that the setting places the data.
  if ((env["TOOLBOOTH_JURISDICTION"] ?? "") !== "")
    problems.push(
      "TOOLBOOTH_JURISDICTION works only on Cloudflare. A server's data lives where you run it.",
    );
  // Read even if other settings are invalid, so that one error reports both.
  const prices = readPrices(env["TOOLBOOTH_PRICES"] ?? "", problems);
  const logo = readLogoSetting(env["TOOLBOOTH_LOGO"] ?? "", problems);
  if (config === null || problems.length > 0) throw new ConfigError(problems.join("\n"));
  return { config, prices, logo };
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
    problems.push(
      `TOOLBOOTH_PRICES must be the path of a price list in JSON; ${path}: ${reasonOf(error)}.`,
    );
    return null;
  }
}

/** The file of a logo, or the SVG itself. */
function readLogoSetting(given: string, problems: string[]): Logo | null {
  if (given === "") return null;
  const rejected = (reason: string) => {
    problems.push(`TOOLBOOTH_LOGO must be the path of an SVG or PNG file; ${reason}.`);
    return null;
  };
  if (given.trimStart().startsWith("<")) {
    return isSvg(given)
      ? { type: "image/svg+xml", text: given }
      : rejected(
          "its value is not an SVG image, which needs the namespace http://www.w3.org/2000/svg",
        );
  }
  try {
    const logo = readLogo(readFileSync(given));
    return typeof logo === "string" ? rejected(`${given}: ${logo}`) : logo;
  } catch (error) {
    return rejected(`${given}: ${reasonOf(error)}`);
  }
}

const reasonOf = (error: unknown): string =>
  WHY[(error as NodeJS.ErrnoException).code ?? ""] ?? "it cannot be read";

const WHY: Record<string, string> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "this user may not read it",
};
