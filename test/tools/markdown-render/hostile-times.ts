import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ofBytes } from "./hostile-shapes.ts";

/**
 * What rendering costs, in times of an ordinary document in the same process. Times are CPU times of the whole
 * process, the collector's included. What seems too long is measured again, both sides of the comparison.
 */
export type Render = (markdown: string, withText: boolean) => { html: string; text?: string };

/** Before a document is called slow, its least time of so many counts. */
const TRIES = 3;
/** So many times above a bound is no noise. */
const HOPELESS = 4;
/** Less than this is noise, and counts as this much. */
const NOISE_MS = 7.5;
const WARM_UP = 9;

export class Times {
  private readonly render: Render;
  private readonly ordinary: string;
  /** In milliseconds, by whether the plain text is asked for too. */
  readonly ordinaryMs: Record<"html" | "text", number>;

  constructor(render: Render, ordinary: string) {
    this.render = render;
    this.ordinary = ordinary;
    // The first rounds are for the compiler.
    this.least(WARM_UP, true);
    this.ordinaryMs = { html: this.least(WARM_UP, false), text: this.least(WARM_UP, true) };
  }

  ms(markdown: string, withText: boolean): number {
    return timed(() => this.render(markdown, withText)).ms;
  }

  /** How many times as long as the ordinary document takes one that took `firstMs` when it was first rendered. */
  beside(markdown: string, withText: boolean, firstMs: number, bound: number): number {
    const usualMs = this.ordinaryMs[withText ? "text" : "html"];
    return leastOf(firstMs / usualMs, bound, () => {
      const nowMs = this.settle(withText);
      return this.ms(markdown, withText) / Math.max(usualMs, nowMs);
    });
  }

  /** How many times as long the large document takes as the small one. */
  growth([small, large]: Pair<string>, [smallMs, largeMs]: Pair<number>, bound: number): number {
    return leastOf(largeMs / Math.max(smallMs, NOISE_MS), bound, () => {
      this.settle(true);
      const ms = this.ms(small, true);
      return this.ms(large, true) / Math.max(ms, NOISE_MS);
    });
  }

  /** After collecting, the heap has to grow back; that is not the hostile document's either. */
  private settle(withText: boolean): number {
    collectGarbage();
    return this.least(TRIES, withText);
  }

  private least(rounds: number, withText: boolean): number {
    return Math.min(...Array.from({ length: rounds }, () => this.ms(this.ordinary, withText)));
  }
}

/** What earlier documents left behind is not the next one's to clear away. */
export const collectGarbage = (): void => globalThis.gc?.();

export type Pair<T> = readonly [T, T];

function leastOf(first: number, bound: number, again: () => number): number {
  let least = first;
  for (let round = 1; round < TRIES && least > bound && least < bound * HOPELESS; round += 1) {
    least = Math.min(least, again());
  }
  return least;
}

export function timed<T>(work: () => T): { value: T; ms: number } {
  const start = process.cpuUsage();
  const value = work();
  const { user, system } = process.cpuUsage(start);
  return { value, ms: (user + system) / 1000 };
}

/** READMEs of what is installed here, as many as have `bytes` bytes. */
export function ordinaryDocument(bytes: number): string {
  const modules = path.join(import.meta.dirname, "../../../node_modules");
  const readmes = readdirSync(modules, { recursive: true, encoding: "utf8" })
    .filter((name) => /(?:^|[\\/])readme\.md$/i.test(name))
    .sort()
    .map((name) => readFileSync(path.join(modules, name), "utf8"));
  if (readmes.length === 0) throw new Error("there is no README in node_modules");
  const all = `${readmes.join("\n\n")}\n\n`;
  const document = all.repeat(Math.ceil(bytes / Buffer.byteLength(all)));
  return ofBytes((size) => document.slice(0, size), bytes);
}
