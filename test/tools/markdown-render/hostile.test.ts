import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { SEED } from "../../support/random.ts";
import { countSteps, loadCountedEngine, step, TooManySteps } from "./counted-engine.ts";
import { byHand, combined } from "./hostile-catalogue.ts";
import { scanHtml } from "./hostile-html.ts";
import { drawn } from "./hostile-pairs.ts";
import { type Hostile, within } from "./hostile-shapes.ts";
import { ordinaryDocument } from "./ordinary-document.ts";

/**
 * Documents made to hang, to crash or to blow up a Markdown engine. Each is rendered in two sizes, of which the larger has four
 * times the bytes. `TEST_HOSTILE_BYTES` sets the smaller size, and `TEST_HOSTILE_DRAWN` how many documents are drawn from
 * `TEST_SEED` besides those that are listed.
 */
const SMALL = Number(process.env["TEST_HOSTILE_BYTES"] ?? 1024);
const DRAWN = Number(process.env["TEST_HOSTILE_DRAWN"] ?? 50);

/** The most steps, in those that an ordinary document of this size takes. */
const TIMES_ORDINARY_MAX = 10;
/** Beyond this it would not end while someone waits. */
const TIMES_ORDINARY_HANGS = 1_000;
/** Four times the size may take four times the steps; the rest of the margin is for what grows up to a bound. */
const GROWTH_MAX = 9;
const OUTPUT_MAX = 30;
/** What a short document may have besides: fifty links back to a footnote take 12 KB (`bounds.ts`). */
const OUTPUT_BYTES_MORE = 16 * 1024;
/** Browsers limit nesting to 512 elements, and recursive readers fail not far above that. */
const DEPTH_MAX = 600;

const RULES = {
  hangs: "the engine renders every hostile document",
  throws: "no hostile document makes the engine throw",
  slow: "a hostile document takes at most ten times the steps of an ordinary one",
  grows: "four times the hostile document takes about four times the steps",
  large: "the output is at most thirty times a hostile document, as HTML and as text",
  deep: "elements are nested less than 600 deep",
  broken: "the HTML is well-formed, and no link is in a link",
} as const;
type Rule = keyof typeof RULES;
type Failure = { readonly rule: Rule; readonly by: number; readonly why: string };
type Trial = {
  readonly name: string;
  readonly times: number;
  readonly growth: number;
  readonly failures: Failure[];
};
type Render = (markdown: string, withText: boolean) => { html: string; text?: string };

const stepsOf = (render: Render, markdown: string) =>
  countSteps(Infinity, () => render(markdown, true)).steps;

/** Renders a document in both sizes. `ordinary` is the number of steps for each character of an ordinary document. */
function tryHostile(render: Render, ordinary: number, { name, make }: Hostile): Trial {
  const failures: Failure[] = [];
  const fail = (rule: Rule, by: number, why: string) => failures.push({ rule, by, why });
  const judged = (markdown: string) => {
    const max = TIMES_ORDINARY_HANGS * ordinary * markdown.length;
    const { result, steps } = countSteps(max, () => render(markdown, true));
    judgeOutput(markdown, result, fail);
    return steps;
  };
  try {
    const [small, large] = documentsOf(make);
    const [fewer, steps] = [judged(small), judged(large)];
    const times = steps / large.length / ordinary;
    if (times > TIMES_ORDINARY_MAX)
      fail("slow", times / TIMES_ORDINARY_MAX, `${times.toFixed(1)} times an ordinary one`);
    const growth = (4 * steps * small.length) / (fewer * large.length);
    if (growth > GROWTH_MAX)
      fail("grows", growth / GROWTH_MAX, `${growth.toFixed(1)} times: ${fewer}, then ${steps}`);
    return { name, times, growth, failures };
  } catch (error) {
    fail(error instanceof TooManySteps ? "hangs" : "throws", Infinity, String(error));
    return { name, times: Infinity, growth: Infinity, failures };
  }
}

/** A wide table does not exist in a small size: it gets the next one that it has. */
function documentsOf(make: Hostile["make"], bytes = SMALL): [string, string] {
  const [small, large = ""] = [within(make, bytes), within(make, 4 * bytes)];
  if (small === undefined) return documentsOf(make, 4 * bytes);
  assert.ok(large.length > 2 * small.length, `${small.length} characters, then ${large.length}`);
  return [small, large];
}

function judgeOutput(
  markdown: string,
  { html, text = "" }: ReturnType<Render>,
  fail: (rule: Rule, by: number, why: string) => void,
): void {
  for (const [kind, output] of Object.entries({ HTML: html, text })) {
    const bytes = Buffer.byteLength(output) - OUTPUT_BYTES_MORE;
    const times = bytes / Buffer.byteLength(markdown);
    if (times > OUTPUT_MAX)
      fail("large", times / OUTPUT_MAX, `${kind} of ${times.toFixed(1)} times the document`);
  }
  const { depth, fault } = scanHtml(html);
  if (depth >= DEPTH_MAX) fail("deep", depth / DEPTH_MAX, `${depth} elements in one another`);
  if (fault !== null) fail("broken", 1, fault);
}

/** The documents that break a rule, worst first, each with its worst finding. */
const broken = (trials: readonly Trial[], rule: Rule) =>
  trials
    .flatMap(({ name, failures }) =>
      failures
        .filter((failure) => failure.rule === rule)
        .toSorted((a, b) => b.by - a.by)
        .slice(0, 1)
        .map(({ by, why }) => ({ by, line: `${name}: ${why}` })),
    )
    .toSorted((a, b) => b.by - a.by)
    .map(({ line }) => line);

describe("hostile documents", () => {
  let trials: Trial[] = [];
  before(async () => {
    const render = await loadCountedEngine();
    const document = ordinaryDocument(256 * 1024);
    const ordinary = stepsOf(render, document) / document.length;
    const random = Array.from({ length: DRAWN }, (_, index) => drawn(SEED * DRAWN + index));
    const all = [...byHand, ...combined, ...random];
    console.log(`${all.length} hostile documents of ${SMALL} bytes, TEST_SEED=${SEED}`);
    trials = all.map((hostile) => tryHostile(render, ordinary, hostile));
    for (const by of ["times", "growth"] as const) {
      const worst = trials.toSorted((a, b) => b[by] - a[by]).slice(0, 3);
      for (const trial of worst) console.log(`  ${by} ${trial[by].toFixed(1)}: ${trial.name}`);
    }
  });
  for (const [rule, sentence] of Object.entries(RULES)) {
    test(sentence, () => assert.deepEqual(broken(trials, rule as Rule), []));
  }
});

type Output = { html?: string; text?: string };

const takeSteps = (count: number): Output => {
  step(count);
  return {};
};
const hang = (): Output => {
  for (;;) step();
};
const overflow = (): Output => {
  throw new RangeError("Maximum call stack size exceeded");
};

/** By the character that fills a document: the rule that an engine breaks, and how. */
const FAULTS: Readonly<Record<string, [rule: Rule, fault: (length: number) => Output]>> = {
  "*": ["grows", (length) => takeSteps(length ** 3 / SMALL ** 2)],
  "#": ["slow", (length) => takeSteps(length * 200)],
  _: ["hangs", hang],
  "`": ["throws", overflow],
  "[": ["large", (length) => ({ html: "a".repeat(length * 40) })],
  "]": ["large", (length) => ({ text: "a".repeat(length * 40) })],
  "(": ["deep", () => ({ html: "<em>".repeat(700) + "</em>".repeat(700) })],
  ")": ["broken", () => ({ html: "<p><em>a</p></em>" })],
  "<": ["broken", () => ({ html: "<p>a" })],
  ">": ["broken", () => ({ html: '<a href="b">c<em><a href="d">e</a></em></a>' })],
  "!": ["broken", () => ({ html: '<p title="<b">a</p>' })],
  "&": ["broken", () => ({ html: "<p>a < b</p>" })],
};

test("an engine that breaks a rule is found out", () => {
  const faulty: Render = (markdown) => {
    step(10 * markdown.length);
    const fault = FAULTS[markdown.charAt(0)]?.[1](markdown.length);
    return { html: "<p>a</p>\n", text: "a\n", ...fault };
  };
  for (const character of [...Object.keys(FAULTS), "a"]) {
    const make = (size: number) => character.repeat(size);
    const { failures } = tryHostile(faulty, 10, { name: character, make });
    const rule = FAULTS[character]?.[0];
    const expected = rule === undefined ? [] : [rule];
    assert.deepEqual([...new Set(failures.map((failure) => failure.rule))], expected, character);
  }
});
