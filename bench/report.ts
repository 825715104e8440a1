/** Rounds of contenders that take turns, and the table of their results. */
export type Sample = Readonly<Record<string, number>>;
export type Samples = ReadonlyMap<string, readonly Sample[]>;

export type Column = {
  /** The key of a `Sample`. */
  key: string;
  title: string;
  digits: number;
  /** Adds a column with the first contender's value divided by that of each other one. */
  ratio?: true;
};

/**
 * Lets every contender run once a round, in an order that changes, so that other load on the machine meets all of them. Round 0
 * warms up and is discarded.
 */
export async function takeRounds(
  names: readonly string[],
  rounds: number,
  run: (name: string) => Promise<Sample>,
): Promise<Samples> {
  const samples = new Map<string, Sample[]>(names.map((name) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (let turn = 0; turn < names.length; turn += 1) {
      const name = names[(round + turn) % names.length] as string;
      const sample = await run(name);
      if (round > 0) samples.get(name)?.push(sample);
    }
  }
  return samples;
}

/**
 * Returns a line for each contender of a case. `median`: medians of the rounds, and ratios within a round with their range.
 * `minimum`: the least of the rounds, which other load affects least, and the ratio of the two.
 */
export function linesOf(
  title: string,
  samples: Samples,
  columns: readonly Column[],
  by: "median" | "minimum",
): string[][] {
  const [[, own = []] = []] = samples;
  const summaryOf = (values: number[]) =>
    by === "median" ? medianOf(values) : Math.min(...values);
  const ratioOf = (theirs: readonly Sample[], key: string) => {
    const numbers = (of: readonly Sample[]) => of.map((sample) => sample[key] ?? Number.NaN);
    if (by === "minimum") return ratioText(summaryOf(numbers(own)) / summaryOf(numbers(theirs)));
    const ratios = numbers(theirs).map((value, round) => (own[round]?.[key] ?? Number.NaN) / value);
    const [median, min, max] = [medianOf(ratios), Math.min(...ratios), Math.max(...ratios)];
    return `${ratioText(median)} (${ratioText(min)}–${ratioText(max)})`;
  };
  return [...samples].map(([name, theirs]) => [
    title,
    name,
    ...columns.map(({ key, digits }) =>
      summaryOf(theirs.map((sample) => sample[key] ?? Number.NaN)).toFixed(digits),
    ),
    ...columns
      .filter(({ ratio }) => ratio)
      .map(({ key }) => (theirs === own ? "" : ratioOf(theirs, key))),
  ]);
}

/** A dash where a short round took less CPU time than the system counts. */
const ratioText = (ratio: number): string => (Number.isFinite(ratio) ? ratio.toFixed(2) : "–");

export function headOf(first: string, columns: readonly Column[]): string[] {
  const ratios = columns.filter(({ ratio }) => ratio);
  return [
    first,
    "contender",
    ...columns.map(({ title }) => title),
    ...ratios.map(({ title }) => `${title}: ratio`),
  ];
}

/** Prints a table with the first two columns aligned to the left and the others to the right. */
export function printTable(
  title: string,
  head: readonly string[],
  rows: readonly string[][],
): void {
  const widths = head.map((cell, column) =>
    Math.max(cell.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column < 2 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join("  ")
      .trimEnd();
  const rule = widths.map((width) => "-".repeat(width));
  process.stdout.write(`${[title, "", line(head), line(rule), ...rows.map(line)].join("\n")}\n\n`);
}

export const medianOf = (values: readonly number[]): number =>
  percentile(
    [...values].sort((a, b) => a - b),
    50,
  );

/** Returns the nearest-rank percentile of sorted values. The median of an even count is the mean of the middle two. */
export function percentile(sorted: ArrayLike<number>, percent: number): number {
  const middle = sorted.length / 2;
  if (percent === 50 && Number.isInteger(middle))
    return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
  return sorted[Math.max(1, Math.ceil((percent / 100) * sorted.length)) - 1] ?? Number.NaN;
}
