/** What `chaos.ts` runs. */
export type Scenario = {
  name: string;
  /** As docs/reliability.md says it. */
  what: string;
  file: string;
  /** Sizes of its random inputs. */
  env: Record<string, string>;
  /** Runs with a seed of their own. */
  slices: number;
  /** After this time a slice is ended, and has failed. */
  minutes: number;
};

export const SCENARIOS: readonly Scenario[] = [];
