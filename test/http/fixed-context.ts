/** A fixed time and fixed random bytes, for runtimes whose responses are compared. Works in workerd too. */
export const START = Date.UTC(2026, 0, 15, 10);

/** Drawn for the ids of calls, many at once (`createIds`). */
const ID_BYTES = 4096;
let draws = 0;

/** The same bytes for the same count, except for ids: a call with the id of another is a repeat of it. */
export const patternedBytes = (count: number) => {
  if (count !== ID_BYTES)
    return Uint8Array.from({ length: count }, (_, at) => ((at * 31 + 7) ^ (at >> 5)) & 0xff);
  draws += 1;
  let state = draws;
  return Uint8Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
};
