import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { byHand, combined, hostileNamed } from "./hostile-catalogue.ts";
import { known } from "./hostile-known.ts";
import { drawn } from "./hostile-pairs.ts";
import { type Run, runTrials } from "./hostile-run.ts";
import { ofBytes } from "./hostile-shapes.ts";
import { KB, RULES, type Rule } from "./hostile-trial.ts";
import { Random } from "./random.ts";

/**
 * Documents made to hang, to crash or to blow up a Markdown engine. Each is rendered at 64 KB, 256 KB and 1 MB and must
 * stay within the bounds in hostile-trial.ts. A run takes a sixteenth of the documents known from other engines and a
 * sample of the rest. TEST_HOSTILE=all takes all of them, and TEST_HOSTILE_SEED=n repeats a sample.
 */
const ALL = process.env["TEST_HOSTILE"] === "all";
const SAMPLE = 16;
const DRAWN = ALL ? 500 : 4;
const seed = Number(process.env["TEST_HOSTILE_SEED"] ?? Date.now() % 2 ** 31);
const TRIAL_MS_MAX = 60_000;

const SENTENCES: Readonly<Record<Rule, string>> = {
  hangs: "every hostile document is rendered in time",
  throws: "no hostile document makes the engine throw",
  slow: "a hostile document of 1 MB takes at most ten times as long as an ordinary one",
  grows: "four times the hostile document takes about four times as long",
  large: "the output is at most thirty times a hostile document, as HTML and as text",
  deep: "elements are nested less than 600 deep",
  broken: "the HTML is well-formed, and no link is in a link",
};

describe("hostile documents", () => {
  let run: Run;
  before(async () => {
    const names = ALL ? everything() : sample();
    console.log(`${names.length} hostile documents, TEST_HOSTILE_SEED=${seed}`);
    run = await runTrials(names, {
      engine: "#tools/markdown-render/render-markdown.ts",
      trialMsMax: TRIAL_MS_MAX,
    });
    report(run);
  });
  for (const rule of RULES) {
    test(SENTENCES[rule], () => assert.deepEqual(broken(run, rule), []));
  }
});

describe("the faults of an engine are found by name", () => {
  const FAULTS: Readonly<Record<string, Rule>> = {
    "*": "grows",
    "`": "throws",
    "[": "large",
    "]": "large",
    "(": "deep",
    ")": "broken",
    "<": "broken",
    ">": "broken",
    "!": "broken",
    "&": "broken",
    "#": "slow",
  };
  const nameOf = (character: string) => `nothing but: ${JSON.stringify(character)} repeated`;
  const faulty = (characters: string[], trialMsMax: number) =>
    runTrials(characters.map(nameOf), {
      engine: import.meta.resolve("./hostile-faulty-engine.ts"),
      trialMsMax,
    });

  test("a fault against each rule", async () => {
    const { trials } = await faulty([...Object.keys(FAULTS), "a"], 60_000);
    for (const { name, failures } of trials) {
      const rules = failures.map(({ rule }) => rule);
      const rule =
        FAULTS[Object.keys(FAULTS).find((character) => nameOf(character) === name) ?? ""];
      if (rule === undefined) assert.deepEqual(rules, [], name);
      else assert.ok(rules.includes(rule), `${name}: ${rules}`);
    }
    assert.equal(trials.length, 12);
  });

  test("one that hangs, and what comes after it", async () => {
    const { trials } = await faulty(["_", "a"], 2_000);
    const rules = trials.map(({ failures }) => failures.map(({ rule }) => rule));
    assert.deepEqual(rules, [["hangs"], []]);
  });
});

test("a hostile document is as long as was asked for, and the same every time", () => {
  const size = 64 * KB;
  for (const { name, make } of [...byHand, ...combined, drawn(seed)]) {
    const made = ofBytes(make, size);
    const bytes = Buffer.byteLength(made);
    assert.ok(bytes > size * 0.4 && bytes <= size, `${name} has ${bytes} bytes`);
    assert.equal(ofBytes(hostileNamed(name).make, size), made, name);
  }
});

function everything(): string[] {
  return [...byHand, ...combined, ...drawnBy(DRAWN)].map(({ name }) => name);
}

/** A sixteenth of the known documents and a sample of the rest. */
function sample(): string[] {
  const rest = [...byHand, ...combined].slice(known.length);
  const random = new Random(seed);
  const eighth = known.filter((_, index) => index % 8 === seed % 8);
  const some = Array.from({ length: SAMPLE }, () => random.pick(rest));
  return [...new Set([...eighth, ...some, ...drawnBy(DRAWN)].map(({ name }) => name))];
}

function drawnBy(count: number) {
  return Array.from({ length: count }, (_, index) => drawn(seed + index));
}

/** Lists each document that breaks a rule, worst first, with the findings. */
function broken({ trials }: Run, rule: Rule): string[] {
  const worst = trials.flatMap(({ name, failures }) =>
    failures
      .filter((failure) => failure.rule === rule)
      .toSorted((a, b) => b.by - a.by)
      .slice(0, 1)
      .map(({ by, why }) => ({ by, line: `${name}: ${why}` })),
  );
  return worst.toSorted((a, b) => b.by - a.by).map(({ line }) => line);
}

/** Lists the slowest documents of the sample, relative to the ordinary one. */
function report({ trials, ordinary }: Run): void {
  const slowest = trials.toSorted((a, b) => b.times - a.times).slice(0, 5);
  const lines = slowest.map(({ name, times }) => `  ${times.toFixed(1)} ${name}`);
  console.log(
    `an ordinary megabyte takes ${ordinary.html.toFixed(0)} ms; the slowest, in its times:`,
  );
  console.log(lines.join("\n"));
}
