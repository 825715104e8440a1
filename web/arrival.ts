/** Whether the person came to this screen from another one of the pages, and its heading has not been reached yet. */
let moved = false;

export const arrival = {
  announce(): void {
    moved = true;
  },
  take(): boolean {
    const before = moved;
    moved = false;
    return before;
  },
};
