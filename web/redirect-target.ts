/** Whether the person came to this screen from another one of the pages, and its heading has not been reached yet. */
let moved = false;
/** What had the focus last. When it goes with what was around it, the focus is nowhere. */
let last: EventTarget | null = null;
addEventListener("focusin", ({ target }) => {
  last = target;
});

const isFocusLost = () =>
  document.activeElement === document.body && last instanceof Element && !last.isConnected;

export const arrival = {
  announce(): void {
    moved = true;
  },
  take(): boolean {
    const before = moved;
    moved = false;
    return before || isFocusLost();
  },
};
