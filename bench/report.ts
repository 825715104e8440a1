/** Medians, spreads and tables. Medians, because one disturbed round changes a mean but not a median. */
export type Spread = { median: number; min: number; max: number };

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: percentile(sorted, 50), min: sorted[0] ?? NaN, max: sorted.at(-1) ?? NaN };
}

export const medianOf = (values: readonly number[]): number => spreadOf(values).median;

/** Returns the nearest-rank percentile of sorted samples. The median of an even count is the mean of the middle two. */
export function percentile(sorted: ArrayLike<number>, percent: number): number {
  const count = sorted.length;
  if (count === 0) return Number.NaN;
  if (percent === 50 && count % 2 === 0) {
    return ((sorted[count / 2 - 1] as number) + (sorted[count / 2] as number)) / 2;
  }
  const rank = Math.max(1, Math.ceil((percent / 100) * count));
  return sorted[rank - 1] as number;
}

export const sortedSamples = (samples: readonly number[]): Float64Array =>
  Float64Array.from(samples).sort();

export const round = (value: number, digits: number): number => Number(value.toFixed(digits));

/** Formats a median and the range of the rounds, such as `0.61 (0.58–0.64)`. */
export const showSpread = ({ median, min, max }: Spread, digits: number): string =>
  `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;

/** Formats a table for the terminal, with the first column aligned to the left and the others to the right. */
export function showTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd();
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line), ""].join(
    "\n",
  );
}
