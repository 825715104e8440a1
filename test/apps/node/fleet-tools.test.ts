import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { ToolPrints } from "#stores/postgres/settings.ts";
import type { Tool } from "#tools/define-tool.ts";
import { TOOLS } from "#tools/registry.ts";
import {
  describeDifferences,
  printsOf,
  startFleetTools,
} from "../../../src/apps/node/fleet-tools.ts";
import { createLastingFaults } from "../../../src/apps/node/lasting-faults.ts";

/** What nodes say to each other of their tools, without a database. */
const EVERY_MS = 30_000;
const [FIRST, SECOND] = TOOLS as [Tool, Tool];

function open(t: TestContext, serving: { tools: readonly Tool[] }) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const warned: string[] = [];
  const over: string[] = [];
  const faults = createLastingFaults({
    error: (message) => assert.fail(message),
    warn: (message) => void warned.push(message),
    info: (message) => void over.push(message),
  });
  const said: ToolPrints[] = [];
  const state = { others: [] as ToolPrints[] | Error };
  const { stop } = startFleetTools(
    async ({ tools }) => {
      said.push(tools);
      if (state.others instanceof Error) throw state.others;
      return state.others;
    },
    () => serving.tools,
    faults,
  );
  t.mock.timers.tick(1);
  const pass = async () => {
    await turn();
    t.mock.timers.tick(EVERY_MS);
    await turn();
  };
  return {
    warned,
    over,
    said,
    state,
    stop,
    pass,
    fault: () => faults.current().get("other_tools"),
  };
}

test("a node says what it serves at the start and every 30 seconds, and warns once while another node differs", async (t) => {
  const { warned, over, said, state, stop, pass, fault } = open(t, { tools: TOOLS });
  await turn();
  assert.deepEqual(said, [printsOf(TOOLS).tools]);
  assert.equal(fault(), undefined);

  state.others = [printsOf([SECOND]).tools];
  await pass();
  await pass();
  assert.equal(said.length, 3);
  assert.equal(fault()?.stopsCalls, false);
  assert.equal(warned.length, 1);
  assert.match(warned[0] ?? "", /^Another node of the fleet serves other tools than this one: /);

  state.others = new Error("PostgreSQL is gone");
  await pass();
  assert.equal(warned.length, 1, "what was found last stays");
  assert.notEqual(fault(), undefined);

  state.others = [];
  await pass();
  assert.equal(fault(), undefined);
  assert.equal(over.length, 1);
  stop();
  await pass();
  assert.equal(said.length, 5);
});

test("tools that are read again are said as they are then", async (t) => {
  const serving = { tools: [FIRST] };
  const { said, stop, pass } = open(t, serving);
  await turn();
  serving.tools = [SECOND];
  await pass();
  stop();
  assert.deepEqual(said.map(Object.keys), [[FIRST.name], [SECOND.name]]);
});

test("the hash of a node's tools follows their definitions, and not their order", () => {
  assert.equal(printsOf(TOOLS).print, printsOf([...TOOLS].reverse()).print);
  const changes: Partial<Tool>[] = [
    { price: FIRST.price + 1 },
    { summary: "Another." },
    { examples: [] },
    { input: SECOND.input },
    { timeLimitMs: 7 },
  ];
  const prints = [FIRST, ...changes.map((change) => ({ ...FIRST, ...change }))].map(
    (tool) => printsOf([tool]).print,
  );
  assert.equal(new Set(prints).size, prints.length);
});

test("differences are told by name: what is only here, only there, or defined differently", () => {
  const mine = { a: "1", b: "1", c: "1" };
  assert.equal(describeDifferences(mine, []), null);
  assert.equal(describeDifferences(mine, [{ ...mine }]), null);
  assert.equal(
    describeDifferences(mine, [{ a: "1", b: "2", d: "1" }, mine]),
    "b is defined differently, c is only here, d is only there",
  );
  const many = Object.fromEntries("abcdefg".split("").map((name) => [name, "1"]));
  assert.match(describeDifferences({}, [many]) ?? "", /^a is only there, .*, and 2 more differ$/);
});
