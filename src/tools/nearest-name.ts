/**
 * Finds the name somebody most likely meant: the known one at the smallest Damerau-Levenshtein distance,
 * letter case, `_` and `-` aside, or one that the given name begins or that begins it.
 */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  const plain = plainName(given.slice(0, GIVEN_CHARS_MAX));
  let nearest: string | undefined;
  let nearestDistance = Number.POSITIVE_INFINITY;
  for (const name of known) {
    const other = plainName(name);
    const distance = isBeginning(plain, other) ? 1 : editDistance(plain, other);
    // A third of the letters wrong is still a misspelling; more is another word.
    const near = Math.max(1, Math.floor(Math.max(plain.length, other.length) / 3));
    if (distance <= near && distance < nearestDistance) {
      nearest = name;
      nearestDistance = distance;
    }
  }
  return nearest;
}

/** Longer than any known name by far: the rest of a longer one cannot bring it nearer. */
const GIVEN_CHARS_MAX = 64;

const plainName = (name: string) => name.toLowerCase().replaceAll(/[-_ ]/g, "");

/** `algo` for `algorithm`, `widthPx` for `width`. Under three letters a beginning says too little. */
function isBeginning(a: string, b: string): boolean {
  return Math.min(a.length, b.length) >= 3 && (a.startsWith(b) || b.startsWith(a));
}

/** Optimal string alignment: insert, delete, replace, or swap two neighbours, each counted 1. */
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
