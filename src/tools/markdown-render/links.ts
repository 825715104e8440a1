import { schemeOf } from "./address.ts";

/** The values of `rel` that a link can get (HTML, section 4.6.8). */
export const LINK_RELATIONS = [
  "nofollow",
  "noopener",
  "noreferrer",
  "sponsored",
  "ugc",
  "external",
] as const;

/** For JSON Schema, which has no way to say "in any case". */
export const LINK_REL_PATTERN = `^(${LINK_RELATIONS.join("|")})( (${LINK_RELATIONS.join("|")}))*$`;

export type LinkOptions = {
  /** Some of the relations, separated by spaces. */
  rel?: string | undefined;
  target?: "_blank" | undefined;
};

/** Whether a text is one or more of the relations, in any case, separated by spaces. */
export function isLinkRel(text: string): boolean {
  const names = relationsOf(text);
  return names.length > 0 && names.every((name) => RELATIONS.has(name));
}

const RELATIONS: ReadonlySet<string> = new Set(LINK_RELATIONS);

const relationsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(" ")
    .filter((name) => name !== "");

/** The attributes of links that leave the page. */
export class LinkAttributes {
  private readonly attributes: string;

  constructor({ rel = "", target }: LinkOptions) {
    const names = new Set(relationsOf(rel));
    // Browsers before 2021 give the opened page access to this one otherwise.
    if (target !== undefined && !names.has("noreferrer")) names.add("noopener");
    this.attributes =
      (names.size > 0 ? ` rel="${[...names].join(" ")}"` : "") +
      (target === undefined ? "" : ` target="${target}"`);
  }

  /** Links within the page stay as they are, and so do addresses that open another program, such as `mailto:`. */
  of(address: string): string {
    if (address === "" || address.startsWith("#")) return "";
    const scheme = schemeOf(address)?.toLowerCase();
    return scheme === undefined || PAGES.has(scheme) ? this.attributes : "";
  }
}

const PAGES: ReadonlySet<string> = new Set(["http", "https", "ftp"]);
