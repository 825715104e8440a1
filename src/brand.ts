/** The names of a service: its operator's, or ours where the operator has set none. */
export type Brand = {
  /** 1 to `NAME_CHARS_MAX` characters of one line. */
  name: string;
  /** What new keys begin with. */
  keyPrefix: string;
};

export const TOOLBOOTH: Brand = { name: "Toolbooth", keyPrefix: "tb_" };

export const NAME_CHARS_MAX = 40;

/**
 * Whether the operator has given the service a name. Its customers then see nothing of the software: neither its name nor how to
 * run it.
 */
export const hasOwnName = ({ name }: Pick<Brand, "name">): boolean => name !== TOOLBOOTH.name;

/**
 * A text of emails or of the documentation, with the name of the service. They are written for a service named Toolbooth, whose
 * keys begin with `tb_`.
 */
export const inNameOf = ({ name }: Pick<Brand, "name">, text: string): string =>
  // As a string, it could have patterns such as `$&`.
  text.replaceAll(TOOLBOOTH.name, () => name);

/** The words of a name in ASCII; "Api" where it has none. */
function wordsOf(name: string): string[] {
  const words = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .match(/[A-Za-z0-9]+/g);
  return words ?? ["Api"];
}

/** As programs write it, in names of files and members: `acme-tools`. */
export const slugOf = (name: string): string => wordsOf(name).join("-").toLowerCase();

/** As in `User-Agent` (RFC 9110, section 10.1.5): `Acme-Tools`. */
export const productOf = (name: string): string => wordsOf(name).join("-");

/** The challenge of a 401 (RFC 6750, section 3). A realm is ASCII; that of Toolbooth is in lower case. */
export function challengeOf(brand: Pick<Brand, "name">): string {
  const realm = hasOwnName(brand) ? wordsOf(brand.name).join(" ") : "toolbooth";
  return `Bearer realm="${realm}"`;
}

/** The environment variable from which samples read a key. */
export const keyVariableOf = (brand: Pick<Brand, "name">): string =>
  hasOwnName(brand) ? "API_KEY" : "TOOLBOOTH_KEY";
