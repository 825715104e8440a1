import { characters } from "./hostile-characters.ts";
import { constructs } from "./hostile-constructs.ts";
import { containers } from "./hostile-containers.ts";
import { inlines } from "./hostile-inlines.ts";
import { known, singles } from "./hostile-known.ts";
import { leaves } from "./hostile-leaves.ts";
import { links } from "./hostile-links.ts";
import { drawn, pairs } from "./hostile-pairs.ts";
import { references } from "./hostile-references.ts";
import type { Hostile } from "./hostile-shapes.ts";
import { tables } from "./hostile-tables.ts";
import { tags } from "./hostile-tags.ts";

/** Written by hand, each against something that an engine has to do. */
export const byHand: readonly Hostile[] = [
  ...known,
  ...singles,
  ...inlines,
  ...tags,
  ...links,
  ...references,
  ...containers,
  ...leaves,
  ...tables,
  ...characters,
];

/** Made by combining: every construct in every way, and every pair of fragments. */
export const combined: readonly Hostile[] = [...constructs, ...pairs];

const byName = new Map([...byHand, ...combined].map((hostile) => [hostile.name, hostile]));

/** What is drawn by a number is found by it and need not be listed. */
export function hostileNamed(name: string): Hostile {
  const number = /^drawn (\d+)/.exec(name)?.[1];
  const hostile = number === undefined ? byName.get(name) : drawn(Number(number));
  if (hostile === undefined) throw new Error(`there is no hostile document "${name}"`);
  return hostile;
}
