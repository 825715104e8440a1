/** Whether the user navigated to this screen and its heading has not had the focus yet. */
let isHeadingExpected = false;
let lastFocused: EventTarget | null = null;
addEventListener("focusin", ({ target }) => {
  lastFocused = target;
});

/** The element that had the focus was removed from the page. */
const isFocusLost = () =>
  document.activeElement === document.body &&
  lastFocused instanceof Element &&
  !lastFocused.isConnected;

/** After a navigation, and when the focused element disappears, the focus moves to the heading of the screen. */
export const headingFocus = {
  expect(): void {
    isHeadingExpected = true;
  },
  /** Whether the new heading should take the focus. */
  take(): boolean {
    const wasExpected = isHeadingExpected;
    isHeadingExpected = false;
    return wasExpected || isFocusLost();
  },
};

/** Moves the focus to the first invalid field of a form, after React has marked it. */
export function focusInvalidField(form: HTMLFormElement): void {
  requestAnimationFrame(() => {
    form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  });
}
