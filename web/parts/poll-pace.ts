/** How often a page that waits for something asks for it: quickly at first, then ever more slowly. */
export type Pace = { firstMs: number; lastMs: number; quickPolls: number };

/** The time before the next poll, after `polls` of them. */
export const nextPollMs = ({ firstMs, lastMs, quickPolls }: Pace, polls: number): number =>
  Math.min(lastMs, Math.round(firstMs * 1.25 ** Math.max(0, polls - quickPolls)));
