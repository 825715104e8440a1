/** Medians and spreads. A disturbed round moves a mean; it does not move a median. */
export type Spread = { median: number; min: number; max: number };

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: percentile(sorted, 50), min: sorted[0] ?? NaN, max: sorted.at(-1) ?? NaN };
}

export const medianOf = (values: readonly number[]): number => spreadOf(values).median;

/** The nearest-rank percentile of sorted samples; of an even count the median is the mean of the middle two. */
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

/** `0.61 (0.58–0.64)`: the median and how far the rounds lie apart. */
export const showSpread = ({ median, min, max }: Spread, digits: number): string =>
  `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
