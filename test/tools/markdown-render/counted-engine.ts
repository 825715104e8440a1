import { readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { fileURLToPath } from "node:url";
import { type Node, parse } from "acorn";
import { full } from "acorn-walk";
import type { renderMarkdown } from "#tools/markdown-render/render-markdown.ts";

/**
 * The Markdown engine with a counter in every function, every loop and every built-in that reads a text. Tests compare these
 * steps instead of seconds: a document takes the same number on every machine, and one that takes far too many is stopped.
 */
export type Render = typeof renderMarkdown;

let steps = 0;
let stepsMax = Infinity;

/** Counts one step, or as many as are named. The counted modules call it. */
export function step(count = 1): void {
  steps += count;
  if (steps > stepsMax) throw new TooManySteps(`more than ${stepsMax} steps`);
}

export class TooManySteps extends Error {}

/** Returns what `work` returns and its number of steps. Throws `TooManySteps` beyond `max`. */
export function countSteps<Result>(
  max: number,
  work: () => Result,
): { result: Result; steps: number } {
  steps = 0;
  stepsMax = max;
  try {
    const result = work();
    return { result, steps };
  } finally {
    stepsMax = Infinity;
  }
}

const COUNTED = "?counted";
const TOOLS = new URL("../../../src/tools/", import.meta.url).href;

/** Loads the modules of the engine a second time, with counters. */
export async function loadCountedEngine(): Promise<Render> {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      const isOurs = context.parentURL?.endsWith(COUNTED) && found.url.startsWith(TOOLS);
      return isOurs ? { ...found, url: found.url + COUNTED } : found;
    },
    load(url, context, next) {
      if (!url.endsWith(COUNTED)) return next(url, context);
      const source = readFileSync(fileURLToPath(url.slice(0, -COUNTED.length)), "utf8");
      return { format: "module", source: withCounters(source), shortCircuit: true };
    },
  });
  try {
    const engine = await import(`${TOOLS}markdown-render/render-markdown.ts${COUNTED}`);
    return (engine as { renderMarkdown: Render }).renderMarkdown;
  } finally {
    hooks.deregister();
  }
}

type Edit = { readonly at: number; readonly removed: number; readonly text: string };
type Parsed = Node & { body: Parsed; callee: Parsed; property: Parsed & { name: string } };

/** The JavaScript of a module, with a step in every function and loop, and with counted built-ins. */
function withCounters(source: string): string {
  const code = stripTypeScriptTypes(source);
  const edits: Edit[] = [];
  const insert = (at: number, text: string) => edits.push({ at, removed: 0, text });
  const seen = new Set<Node>();
  full(parse(code, { ecmaVersion: "latest", sourceType: "module" }), (each) => {
    // A node is met once for each name of its type.
    if (seen.has(each)) return;
    seen.add(each);
    const { type, body, callee } = each as Parsed;
    const isLoop = /^(?:For|While|DoWhile)/.test(type);
    if (isLoop || /Function/.test(type)) {
      if (body.type === "BlockStatement") insert(body.start + 1, "$step();");
      else {
        insert(body.start, isLoop ? "{$step();" : "($step(),");
        insert(body.end, isLoop ? "}" : ")");
      }
    } else if (type === "CallExpression" && callee.type === "MemberExpression") {
      const { name, start } = callee.property;
      // `text.indexOf(` becomes `text[$builtIns.indexOf](`, and `?.` stays.
      const dot = code[start - 2] === "?" ? 0 : 1;
      if (Object.hasOwn(builtIns, name))
        edits.push({ at: start - dot, removed: dot + name.length, text: `[$builtIns.${name}]` });
    }
  });
  edits.sort((one, other) => other.at - one.at);
  const counted = edits.reduce(
    (text, { at, removed, text: added }) => text.slice(0, at) + added + text.slice(at + removed),
    code,
  );
  const us = JSON.stringify(import.meta.url);
  return `import { step as $step, builtIns as $builtIns } from ${us};\n${counted}`;
}

type Text = { readonly length: number; indexOf(part: unknown, from?: number): number };

/** The characters that a search passes. */
function passed(text: Text, [part, from = 0]: unknown[]): number {
  const found = typeof part === "string" ? text.indexOf(part, from as number) : -1;
  return (found < 0 ? text.length : found) - (from as number);
}

/** The characters that a regular expression passes from where it begins, backtracking excepted. */
function matched(pattern: RegExp, [text]: unknown[]): number {
  const { lastIndex, global, sticky, source } = pattern;
  const from = global || sticky ? lastIndex : 0;
  const match = pattern.exec(text as string);
  pattern.lastIndex = lastIndex;
  if (match !== null) return match.index + match[0].length - from;
  return sticky || source.startsWith("^") ? 1 : (text as string).length - from;
}

const filled = ({ length }: Text, [, from = 0, to = length]: unknown[]) =>
  (to as number) - (from as number);
const whole = ({ length }: Text) => length;
const WORK: Readonly<Record<string, (self: never, given: unknown[]) => number>> = {
  ...{ indexOf: passed, includes: passed, exec: matched, test: matched },
  ...{ replace: whole, replaceAll: whole, split: whole, matchAll: whole, join: whole },
  ...{ fill: filled, trim: whole, trimEnd: whole, toLowerCase: whole, toUpperCase: whole },
};

/** By name, the symbol under which every object has the counted method. */
export const builtIns: Readonly<Record<string, symbol>> = Object.fromEntries(
  Object.entries(WORK).map(([name, work]) => {
    const symbol = Symbol(name);
    const value = function (this: object, ...given: unknown[]) {
      step(work(this as never, given) || 1);
      return (this as Record<string, (...given: unknown[]) => unknown>)[name]?.(...given);
    };
    Object.defineProperty(Object.prototype, symbol, { value });
    return [name, symbol];
  }),
);
