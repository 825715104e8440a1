import { type Hostile, series, writtenFamily } from "./hostile-shapes.ts";

const emphasis = writtenFamily("emphasis", {
  "runs of growing length": series((length) => `${"*".repeat(length)}a`),
  "runs of growing length that close": series((length) => `a${"*".repeat(length)} `),
  "both runs of growing length": series((length) => `${"*".repeat(length)}a${"_".repeat(length)} `),
  "tildes of growing length": series((length) => `${"~".repeat(length)}a`),
  "a long run before every length": (size) =>
    `${"*".repeat(size / 2)}a${series((n) => `${"*".repeat(n)} `)(size / 2)}`,
  "stars between a long word": (size) => `*${"a".repeat(size / 2)}*${"b".repeat(size / 2)}*`,
});

const code = writtenFamily("code spans", {
  "lengths that fall": (size) => {
    const longest = Math.floor(Math.sqrt(2 * size)) - 2;
    return Array.from({ length: longest }, (_, index) => `${"`".repeat(longest - index)}a`).join(
      "",
    );
  },
  "lengths that rise, then fall": (size) => {
    const rising = series((length) => `${"`".repeat(length + 1)}a`)(size / 2);
    return rising + [...rising].reverse().join("");
  },
  "each length at each paragraph": series((length) => `${"`".repeat(length)}a\n\n`),
});

const escapes = writtenFamily("escapes and entities");

export const inlines: Hostile[] = [...emphasis, ...code, ...escapes];
