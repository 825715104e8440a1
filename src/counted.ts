/** Formats 1234567 as 1,234,567. `Intl` would take a millisecond for its first number. */
export const formatNumber = (value: number): string =>
  Number.isSafeInteger(value)
    ? String(value).replace(/\B(?=(?:\d{3})+$)/g, ",")
    : value.toLocaleString("en-US");

/** `1 call`, `2,000 calls`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${formatNumber(value)} ${value === 1 ? one : many}`;
