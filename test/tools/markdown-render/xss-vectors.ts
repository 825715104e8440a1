/** All hostile documents by class, written for this project and based on known collections and bugs of engines. */
import { addresses } from "./xss-vectors/addresses.ts";
import { autolinks } from "./xss-vectors/autolinks.ts";
import { breakouts } from "./xss-vectors/breakouts.ts";
import { characters } from "./xss-vectors/characters.ts";
import { documents } from "./xss-vectors/documents.ts";
import { html } from "./xss-vectors/html.ts";
import { markdown } from "./xss-vectors/markdown.ts";
import { mutation } from "./xss-vectors/mutation.ts";
import { otherAddresses } from "./xss-vectors/other-addresses.ts";

export type Vector = { class: string; markdown: string };

/** Other places for an address besides links and images, used in turn. */
const PLACES: readonly ((address: string) => string)[] = [
  (address) => `[x]\n\n[x]: <${address}>`,
  (address) => `![x]\n\n[x]: <${address}> "y"`,
  (address) => `[x](${address})`,
  (address) => `<${address}>`,
  (address) => `x ${address} y`,
  (address) => `[![x](<${address}>)](<${address}>)`,
  (address) => `|x|\n|-|\n|[y](<${address}>)|`,
  (address) => `> - [x](<${address}> "y")`,
  (address) => `[^1]\n\n[^1]: [x](<${address}>)`,
  (address) => `[https://a.b](<${address}>)`,
];

const written = Object.entries({
  ...html,
  ...documents,
  ...mutation,
  ...breakouts,
  ...autolinks,
  ...markdown,
  ...characters,
}).flatMap(([name, list]) => list.map((each): Vector => ({ class: name, markdown: each })));

const placed = Object.entries({ ...addresses, ...otherAddresses }).flatMap(([name, list]) =>
  list.flatMap((address, index): Vector[] =>
    [
      `[x](<${address}>)`,
      `![x](<${address}>)`,
      PLACES[index % PLACES.length]?.(address) ?? address,
    ].map((each) => ({ class: name, markdown: each })),
  ),
);

export const VECTORS: readonly Vector[] = [...written, ...placed];
