/** Prices and amounts to choose from; `laterAmounts` where an account has many grants, so that one price takes several. */
export type Sizes = Record<"prices" | "amounts" | "laterAmounts", readonly number[]>;
export const ALL_SIZES: Sizes = {
  prices: [0, 1, 1, 1, 2, 3, 5, 20, 100, 1000, 50_000, 1_000_000],
  amounts: [1, 1, 2, 3, 5, 10, 25, 1000, 20_000, 1_000_000, 10 ** 12],
  laterAmounts: [1, 2, 3, 10, 20_000],
};
/** Most prices need several grants. */
export const SMALL_SIZES: Sizes = {
  prices: [0, 1, 1, 1, 2, 2, 3, 5, 8, 20, 50, 300],
  amounts: [1, 2, 3, 5, 10, 25, 40, 100, 300],
  laterAmounts: [1, 2, 3, 10, 30],
};
