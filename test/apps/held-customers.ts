import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { type AccountDeps, createKey } from "#accounts/accounts.ts";
import { newAccountId, newKeyId, parseCallRef } from "#ids.ts";
import type { Ledger } from "#ledger/port.ts";
import { LEASE_MARGIN_MS } from "#limits.ts";
import type { Chance } from "../ledger/rules/chance.ts";
import { type Asked, Spending } from "../support/spending.ts";
import { HELD_TOOLS, PRICES, TIME_LIMIT_MS } from "./held-tools.ts";
import { RUNS_FILE } from "./held-witness.ts";
import { toolProject } from "./node/tool-project.ts";

/**
 * Customers of tools that cost money, on servers that break. They remember what they were told; the tools write down each run, and
 * whether its price was held (`held-witness.ts`). Afterwards, both are compared with the ledger.
 */
/** A hold is released after two leases. */
export const SILENT_MS = 2 * (TIME_LIMIT_MS + LEASE_MARGIN_MS);
/** For each customer. */
const CALLS_AT_ONCE = 6;

const [WITNESS, TOOLS] = ["held-witness.ts", "held-tools.ts"].map((file) =>
  JSON.stringify(path.join(import.meta.dirname, file)),
);

/** A project with these tools. */
export const openHeldProject = (t: Pick<TestContext, "after">): string =>
  toolProject(
    t,
    Object.fromEntries(
      HELD_TOOLS.map((held) => [
        `tools/${held.name}.ts`,
        `import { heldTool } from ${TOOLS};
import { writeDown } from ${WITNESS};
export default heldTool(${JSON.stringify(held)}, (name, { callId }) => writeDown(name, callId));
`,
      ]),
    ),
  );

export type Customer = {
  account: string;
  credits: number;
  budget: number;
  spending: Spending;
  keys: { key: string; spending: Spending | null }[];
  calls: Call[];
};

/** A call and its repeats. `idempotencyKey` is null if it has no repeats. */
type Call = {
  name: string;
  key: Customer["keys"][number];
  effect: "read" | "act";
  price: number;
  idempotencyKey: string | null;
  input: { name: string; waitMs: number; end: "full" | "less" | "fail" };
  /** The body of its response, which never changes. */
  answer: string | null;
  charged: number;
  /** How many of its requests have no response yet. */
  open: number;
  /** How often the connection broke, or its outcome was not known. */
  interrupted: number;
  /** How often it failed, which costs nothing. */
  failed: number;
  /** Its effect is not known, and will not be. */
  isUnknown: boolean;
};

/** An account with two keys, of which one has a budget. */
export async function openHeldCustomer(
  accountDeps: AccountDeps,
  chance: Chance,
): Promise<Customer> {
  const { ledger, random } = accountDeps;
  const now = Date.now();
  const credits = 300 + chance.below(1_200);
  const budget = 50 + chance.below(500);
  const account = newAccountId(random);
  await ledger.openAccount({ account, freeCall: "withheld", now });
  await ledger.grant({
    ...{ account, id: "all", kind: "operator", amount: credits, expiresAt: null, now },
  });
  const limits = {
    ...{ expiresAt: null, tools: null, networks: null, rate: null },
    budgets: { total: budget, month: null, day: null },
  };
  const id = newKeyId(account, random);
  const bounded = await createKey(accountDeps, account, "bounded", now, id, limits);
  const { key } = await createKey(accountDeps, account, "main", now);
  return {
    ...{ account, credits, budget, spending: new Spending(credits), calls: [] },
    keys: [
      { key, spending: null },
      { key: bounded.key, spending: new Spending(budget) },
    ],
  };
}

/** What must be 0, and what is told beside it. */
export type Findings = {
  runsWithoutHold: number;
  runsNotPaid: number;
  overspent: number;
  wronglyRefused: number;
  paidAnswersLost: number;
  secondRunsOfAct: number;
  secondRunsOfRead: number;
  holdsLeft: number;
};
export const NONE_FOUND: Findings = {
  ...{ runsWithoutHold: 0, runsNotPaid: 0, overspent: 0, wronglyRefused: 0 },
  ...{ paidAnswersLost: 0, secondRunsOfAct: 0, secondRunsOfRead: 0, holdsLeft: 0 },
};

export class HeldLoad {
  readonly customers: Customer[] = [];
  readonly found: Findings = { ...NONE_FOUND };
  /** How many calls had each outcome. */
  readonly told: Record<string, number> = {};
  readonly #folder: string;
  readonly #chance: Chance;
  #responses = 0;

  constructor(folder: string, chance: Chance) {
    this.#folder = folder;
    this.#chance = chance;
  }

  /** All of these customers call without a pause until they are stopped. `baseOf` returns the present URL of a caller. */
  start(
    t: Pick<TestContext, "after">,
    callers: readonly Customer[],
    baseOf: (no: number) => string,
  ) {
    let isOver = false;
    const from = this.#responses;
    const made = () => this.#responses - from;
    t.after(() => {
      isOver = true;
    });
    const loops = callers.flatMap((customer) =>
      Array.from({ length: CALLS_AT_ONCE }, async (_, no) => {
        while (!isOver) {
          const call = this.#next(customer);
          if (!(await this.#send(baseOf(no), customer, call))) await wait(20);
        }
      }),
    );
    const all = Promise.all(loops);
    return {
      /** Waits for so many responses. */
      async reach(count: number) {
        while (made() < count) await Promise.race([wait(5), all]);
      },
      async stop() {
        isOver = true;
        await all;
      },
    };
  }

  /** A new call, or the repeat of one. */
  #next(customer: Customer): Call {
    const { calls, keys, account } = customer;
    const chance = this.#chance;
    const repeatable = calls.slice(-40).filter(({ idempotencyKey }) => idempotencyKey !== null);
    if (repeatable.length > 0 && chance.percent(20)) return chance.pick(repeatable);
    const effect = chance.pick(["read", "act"] as const);
    const name = `${account}-${calls.length}`;
    const isKeyed = effect === "act" || chance.percent(70);
    const call: Call = {
      ...{ name, effect, key: chance.pick(keys), price: chance.pick(PRICES) },
      idempotencyKey: isKeyed ? name : null,
      input: {
        ...{ name, waitMs: chance.percent(30) ? chance.below(300) : 0 },
        end: chance.pick(["full", "full", "full", "less", "fail"] as const),
      },
      ...{ answer: null, charged: 0, open: 0, interrupted: 0, failed: 0, isUnknown: false },
    };
    calls.push(call);
    return call;
  }

  /** Whether the tool was reached. */
  async #send(base: string, customer: Customer, call: Call): Promise<boolean> {
    const { spending } = customer;
    const asked = spending.ask(call.price);
    const askedOfKey = call.key.spending?.ask(call.price) ?? null;
    call.open += 1;
    const response = await fetch(`${base}/api/v1/${call.effect}-${call.price}`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${call.key.key}`,
        ...(call.idempotencyKey !== null && { "Idempotency-Key": call.idempotencyKey }),
      },
      body: JSON.stringify(call.input),
    })
      .then(async (received) => ({ received, text: await received.text() }))
      .catch((error: Error) => (error.cause as { code?: string } | undefined)?.code ?? "broken");
    call.open -= 1;
    const ended = (charged: number) => {
      spending.end(asked, charged);
      if (askedOfKey !== null) call.key.spending?.end(askedOfKey, charged);
    };
    if (typeof response === "string") {
      this.#count(response === "ECONNREFUSED" ? "unheard" : "interrupted");
      // Nothing was sent.
      if (response === "ECONNREFUSED") ended(0);
      else call.interrupted += 1;
      return false;
    }
    this.#responses += 1;
    const { received, text } = response;
    if (received.status === 200) {
      ended(this.#recordAnswer(call, text, received.headers));
      return true;
    }
    const problem = JSON.parse(text) as { code: string; charged?: string };
    this.#count(problem.code);
    if (problem.charged !== undefined) {
      call.interrupted += 1;
      return false;
    }
    this.#recordProblem(customer, call, problem.code, asked, askedOfKey);
    ended(0);
    return received.status >= 500 && problem.code !== "unavailable";
  }

  #count(outcome: string): void {
    this.told[outcome] = (this.told[outcome] ?? 0) + 1;
  }

  #recordAnswer(call: Call, text: string, headers: Headers): number {
    const charged = Number(headers.get("credits-charged"));
    const isReplay = headers.get("idempotency-replayed") === "true";
    this.#count(isReplay ? "replayed" : "paid");
    if (call.answer === null) call.answer = text;
    assert.equal(text, call.answer, "the response never changes");
    if (isReplay) assert.equal(charged, 0);
    else {
      assert.equal(charged, call.input.end === "less" ? Math.floor(call.price / 2) : call.price);
      assert.equal(call.charged, 0, "a call is paid once");
      call.charged = charged;
    }
    return charged;
  }

  #recordProblem(
    { spending }: Customer,
    call: Call,
    code: string,
    asked: Asked,
    askedOfKey: Asked | null,
  ): void {
    switch (code) {
      case "insufficient_credits":
        if (spending.covered(asked)) this.found.wronglyRefused += 1;
        return;
      case "key_budget_exhausted":
        if (askedOfKey === null || call.key.spending?.covered(askedOfKey))
          this.found.wronglyRefused += 1;
        return;
      case "tool_failed":
      case "tool_timeout":
        call.failed += 1;
        return;
      case "outcome_unknown":
        assert.ok(call.effect === "act" && call.open + call.interrupted + call.failed > 0);
        call.isUnknown = true;
        return;
      default:
        assert.ok(code === "idempotency_in_progress" || code === "unavailable", code);
    }
  }

  /** Repeats what got no response until it is not running any more, and waits until nothing is held. */
  async settle(base: string): Promise<void> {
    const until = Date.now() + SILENT_MS + 30_000;
    for (const customer of this.customers) {
      for (const call of customer.calls) {
        if (call.idempotencyKey === null || call.interrupted === 0 || call.answer !== null)
          continue;
        const waits = () => sumOf(this.told, ["idempotency_in_progress", "unavailable", "unheard"]);
        for (let before = -1; waits() > before && Date.now() < until; await wait(50)) {
          before = waits();
          await this.#send(base, customer, call);
        }
      }
    }
    for (const { keys } of this.customers) {
      const headers = { Authorization: `Bearer ${keys[0]?.key}` };
      for (let held = 1; held > 0 && Date.now() < until; ) {
        const response = await fetch(`${base}/api/v1/account`, { headers });
        ({ held } = (await response.json()) as { held: number });
        if (held > 0) await wait(500);
      }
    }
  }

  /** Compares everything with the ledger, after `settle`. */
  async check(ledger: Ledger): Promise<void> {
    const { faults } = await ledger.audit({ now: Date.now() });
    assert.deepEqual(faults, []);
    const runs = this.runs();
    for (const customer of this.customers) await this.#checkCustomer(ledger, customer, runs);
  }

  runs(): Map<string, Run[]> {
    const file = path.join(this.#folder, RUNS_FILE);
    const lines = existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
    const runs = new Map<string, Run[]>();
    for (const line of lines) {
      const [name = "", callId = "", isHeld] = line.split(" ");
      const known = runs.get(name) ?? [];
      runs.set(name, known);
      known.push({ callId, isHeld: isHeld === "held" });
    }
    return runs;
  }

  async #checkCustomer(ledger: Ledger, customer: Customer, runs: Map<string, Run[]>) {
    const { account, credits, budget, calls } = customer;
    const { found } = this;
    let debited = 0;
    for (const call of calls) {
      const own = runs.get(call.name) ?? [];
      found.runsWithoutHold += own.filter(({ isHeld }) => !isHeld).length;
      const charges: { callId: string; credits: number }[] = [];
      for (const { callId } of own) {
        const record = await ledger.findCall(parseCallRef(callId) as never);
        assert.notEqual(record.outcome, "held");
        if (record.outcome !== "found" || record.reversedAt !== null) continue;
        charges.push({ callId, credits: record.credits });
        debited += record.credits;
      }
      const excused = call.interrupted + call.failed;
      found.runsNotPaid += Math.max(0, own.length - charges.length - excused);
      if (call.effect === "act") found.secondRunsOfAct += Math.max(0, own.length - 1);
      else found.secondRunsOfRead += Math.max(0, own.length - 1 - excused);
      if (charges.length > 1) found.overspent += 1;
      if (call.answer !== null) {
        const { callId } = JSON.parse(call.answer) as { callId: string };
        if (charges[0]?.callId !== callId) found.runsNotPaid += 1;
      } else if (charges.length > 0 && (call.idempotencyKey !== null || call.interrupted === 0))
        found.paidAnswersLost += 1;
    }
    const state = await ledger.credits({ account, now: Date.now() });
    if (state.held !== 0) found.holdsLeft += 1;
    // Each debit is of a run, and no credits are missing.
    assert.equal(state.balance, credits - debited, account);
    const keys = await ledger.listKeys({ account });
    const spent = keys.find(({ label }) => label === "bounded")?.spent?.total ?? 0;
    if (debited > credits || spent > budget) found.overspent += 1;
  }
}

type Run = { callId: string; isHeld: boolean };

const sumOf = (counts: Record<string, number>, names: readonly string[]) =>
  names.reduce((sum, name) => sum + (counts[name] ?? 0), 0);
