/** Contract of the claims of starter credits, part of the directory's: who gets them, once, and within the budgets. */
import assert from "node:assert/strict";
import type { Directory } from "#accounts/directory.ts";
import type { StarterClaim } from "#accounts/starter-claim.ts";
import { DAY_MS } from "#limits.ts";

type Rule = (title: string, check: (directory: Directory) => Promise<void>) => void;

const NOON = Date.UTC(2026, 10, 21, 12);
const hashOf = (person: string) => person.padEnd(64, "0");
let claims = 0;

const claim = (changes: Partial<StarterClaim> & { person?: string } = {}): StarterClaim => {
  claims += 1;
  const { person = `p${claims}`, ...rest } = changes;
  return {
    account: `acc_${String(claims).padStart(12, "0")}`,
    email: `p${claims}@example.com`,
    emailHashes: [hashOf(person)],
    network: "",
    isDisposable: false,
    budgets: { perNetwork: 0, perDay: 0 },
    now: NOON,
    ...rest,
  };
};

export function describeStarterClaims(rule: Rule): void {
  const ask = async (directory: Directory, order: StarterClaim) =>
    (await directory.claimStarter(order)).outcome;

  rule("a person gets starter credits once, and an account one decision", async (directory) => {
    const first = claim({ person: "ada" });
    for (let times = 0; times < 3; times += 1) assert.equal(await ask(directory, first), "granted");
    const alias = claim({ person: "ada" });
    for (let times = 0; times < 2; times += 1)
      assert.equal(await ask(directory, alias), "address_used");
    const rotated = claim({ emailHashes: [hashOf("new secret"), hashOf("ada")] });
    assert.equal(await ask(directory, rotated), "address_used");
    assert.equal(await ask(directory, claim({ person: "bob" })), "granted");
    const { account, emailHashes, now } = alias;
    assert.deepEqual(
      { ...(await directory.findStarter({ account })) },
      { account, emailHash: emailHashes[0], at: now, outcome: "address_used" },
    );
    assert.equal(await directory.findStarter({ account: "acc_unknown00000" }), null);
  });

  rule(
    "a claim registers the address, and claims nothing if another account has it",
    async (directory) => {
      const first = claim();
      const { email, account } = first;
      assert.equal(await ask(directory, first), "granted");
      assert.deepEqual(
        { ...(await directory.findByEmail({ email })) },
        { email, account, createdAt: NOON },
      );
      const second = claim({ email });
      for (let times = 0; times < 2; times += 1)
        assert.deepEqual(
          { ...(await directory.claimStarter(second)) },
          { outcome: "taken", account },
        );
      assert.equal(await directory.findStarter({ account: second.account }), null);
      // The account keeps its address, and its claim.
      assert.equal(await ask(directory, { ...first, email: "moved@example.com" }), "granted");
      assert.equal(await directory.findByEmail({ email: "moved@example.com" }), null);
    },
  );

  rule("a person who closed an account gets no starter credits", async (directory) => {
    await directory.recordClosed({ emailHash: hashOf("ada"), now: NOON });
    assert.equal(await ask(directory, claim({ person: "ada" })), "address_used");
  });

  rule("a disposable address gets none, and uses up no budget", async (directory) => {
    const budgets = { perNetwork: 0, perDay: 1 };
    const disposable = claim({ isDisposable: true, budgets });
    assert.equal(await ask(directory, disposable), "disposable");
    assert.equal(await ask(directory, claim({ budgets })), "granted");
  });

  rule("budgets count grants of a UTC day, of one network and in all", async (directory) => {
    const budgets = { perNetwork: 2, perDay: 3 };
    const at = (network: string, now = NOON) => ask(directory, claim({ network, budgets, now }));
    assert.deepEqual(
      [await at("one"), await at("one"), await at("one"), await at("two"), await at("three")],
      ["granted", "granted", "network_full", "granted", "day_full"],
    );
    const night = NOON + DAY_MS / 2;
    assert.equal(await at("one", night - 1), "network_full");
    assert.equal(await at("one", night), "granted");
    const counted = await directory.countStarters({ since: NOON });
    assert.deepEqual(
      counted.map((each) => ({ ...each })),
      [
        { outcome: "day_full", count: 1 },
        { outcome: "granted", count: 4 },
        { outcome: "network_full", count: 2 },
      ],
    );
  });

  rule("a client whose network is unknown counts for no network", async (directory) => {
    const budgets = { perNetwork: 1, perDay: 0 };
    for (let times = 0; times < 3; times += 1)
      assert.equal(await ask(directory, claim({ budgets })), "granted");
  });

  rule(
    "of twenty claims at once a budget of seven grants seven, and one is the first beyond it",
    async (directory) => {
      const budgets = { perNetwork: 0, perDay: 7 };
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, () => directory.claimStarter(claim({ budgets, network: "n" }))),
      );
      const full = outcomes.flatMap((each) => (each.outcome === "day_full" ? [each] : []));
      assert.deepEqual([outcomes.length - full.length, full.length], [7, 13]);
      assert.equal(full.filter(({ isFirstToday }) => isFirstToday).length, 1);
    },
  );

  rule("of twenty claims at once by one person one is granted", async (directory) => {
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => ask(directory, claim({ person: "ada" }))),
    );
    assert.equal(outcomes.filter((outcome) => outcome === "granted").length, 1);
  });

  rule("claims that were decided elsewhere can be recorded, once each", async (directory) => {
    for (const outcome of ["granted", "day_full"] as const) {
      const { account, emailHashes, now } = claim({ person: outcome });
      const decision = { account, emailHash: emailHashes[0] ?? "", at: now, outcome };
      for (let times = 0; times < 2; times += 1)
        assert.deepEqual({ ...(await directory.recordStarter(decision)) }, { recorded: true });
      assert.equal((await directory.findStarter({ account }))?.outcome, outcome);
    }
    assert.equal(await ask(directory, claim({ person: "granted" })), "address_used");
    assert.equal(await ask(directory, claim({ person: "day_full" })), "granted");
  });
}
