import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { ofBytes } from "./hostile-shapes.ts";

/**
 * The cost of rendering relative to an ordinary document in the same process. Times are CPU times of the whole process,
 * including garbage collection. If a time seems too long, both sides of the comparison are measured again.
 */
export type Render = (markdown: string, withText: boolean) => { html: string; text?: string };

/** Measurements before a document counts as slow; the shortest one is used. */
const TRIES = 3;
/** A time this many times above a bound is not noise. */
const HOPELESS = 4;
/** Shorter times are noise and count as this much. */
const NOISE_MS = 7.5;
const WARM_UP = 9;

export class Times {
  private readonly render: Render;
  private readonly ordinary: string;
  /** In milliseconds, without and with plain text. */
  readonly ordinaryMs: Record<"html" | "text", number>;

  constructor(render: Render, ordinary: string) {
    this.render = render;
    this.ordinary = ordinary;
    // The first rounds warm up the compiler.
    this.least(WARM_UP, true);
    this.ordinaryMs = { html: this.least(WARM_UP, false), text: this.least(WARM_UP, true) };
  }

  ms(markdown: string, withText: boolean): number {
    return timed(() => this.render(markdown, withText)).ms;
  }

  /** Returns the time of a document relative to the ordinary one; `firstMs` is the time of its first rendering. */
  beside(markdown: string, withText: boolean, firstMs: number, bound: number): number {
    const usualMs = this.ordinaryMs[withText ? "text" : "html"];
    return leastOf(firstMs / usualMs, bound, () => {
      const nowMs = this.settle(withText);
      return this.ms(markdown, withText) / Math.max(usualMs, nowMs);
    });
  }

  /** Returns the time of the large document relative to the small one. */
  growth([small, large]: Pair<string>, [smallMs, largeMs]: Pair<number>, bound: number): number {
    return leastOf(largeMs / Math.max(smallMs, NOISE_MS), bound, () => {
      this.settle(true);
      const ms = this.ms(small, true);
      return this.ms(large, true) / Math.max(ms, NOISE_MS);
    });
  }

  /** After a collection the heap has to grow again, which is not the hostile document's cost. */
  private settle(withText: boolean): number {
    collectGarbage();
    return this.least(TRIES, withText);
  }

  private least(rounds: number, withText: boolean): number {
    return Math.min(...Array.from({ length: rounds }, () => this.ms(this.ordinary, withText)));
  }
}

/** Collects the garbage of earlier documents, so that the next one does not pay for it. */
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

/** READMEs of installed packages, `bytes` bytes in total. */
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
