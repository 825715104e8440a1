/**
 * Returns the known name that a misspelled one most likely means: the one at the smallest Damerau-Levenshtein distance,
 * ignoring case, `_` and `-`. If one name is a prefix of the other, the distance is 1. Undefined if no name is close.
 */
export function nearestName(misspelled: string, known: readonly string[]): string | undefined {
  const plain = plainName(misspelled.slice(0, MISSPELLED_CHARS_MAX));
  let nearest: string | undefined;
  let nearestDistance = Number.POSITIVE_INFINITY;
  for (const name of known) {
    const other = plainName(name);
    const distance = isBeginning(plain, other) ? 1 : editDistance(plain, other);
    // At most a third of the letters may differ.
    const distanceMax = Math.max(1, Math.floor(Math.max(plain.length, other.length) / 3));
    if (distance <= distanceMax && distance < nearestDistance) {
      nearest = name;
      nearestDistance = distance;
    }
  }
  return nearest;
}

/** Much longer than any known name; the rest of a longer name is ignored. */
const MISSPELLED_CHARS_MAX = 64;

const plainName = (name: string) => name.toLowerCase().replaceAll(/[-_ ]/g, "");

/** As in `algo` for `algorithm` or `widthPx` for `width`. Fewer than three letters match too much. */
function isBeginning(a: string, b: string): boolean {
  return Math.min(a.length, b.length) >= 3 && (a.startsWith(b) || b.startsWith(a));
}

/** Optimal string alignment distance: each insertion, deletion, replacement or swap of two neighbors counts 1. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, at(beforeLast, j - 2) + 1);
      }
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

const at = (row: readonly number[], index: number) => row[index] as number;
