/**
 * Whether this tab has just confirmed the address of a new account. The home page then opens the dialog of the first key by itself,
 * once: a tab that only waited for the confirmation does not.
 */
let isFirst = false;

export const firstArrival = {
  expect(): void {
    isFirst = true;
  },
  take(): boolean {
    const was = isFirst;
    isFirst = false;
    return was;
  },
};
