import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { Directory } from "#accounts/directory.ts";
import type { Ledger } from "#ledger/port.ts";
import { type RecordCounts, TransferError } from "#ledger/transfer/records.ts";
import { accountId, DAY } from "../contract/ledger/fixture.ts";
import { fill, linesOf, NOW, openEmpty } from "./transfer-fixture.ts";

/** An empty ledger in the store that is tried. */
export type Goal = {
  ledger: Ledger;
  directory: Directory;
  isEmpty(): Promise<boolean>;
  take(lines: readonly string[]): Promise<RecordCounts>;
  lines(withSecret?: boolean): Promise<string[]>;
};

/** What holds for an import into any store. `openGoal` is asked once a test; it cleans up by itself. */
export function holdImports(store: string, openGoal: (t: TestContext) => Promise<Goal>): void {
  describe(`an import into ${store}`, () => {
    const spoilt: [what: string, spoil: (lines: string[]) => string[], fault: RegExp][] = [
      ["nothing at all", () => [], /The input is empty/],
      ["lines without their header", (lines) => lines.slice(1), /Line 1 is not the header/],
      [
        "a newer format",
        ([first = "", ...rest]) => [first.replace('"version":1', '"version":2'), ...rest],
        /The export has format version 2/,
      ],
      [
        "a truncated export",
        (lines) => lines.slice(0, -5),
        /ends after line \d+ without a trailer/,
      ],
      [
        "a line that was cut off",
        (lines) => [...lines.slice(0, 9), (lines[9] ?? "").slice(0, -4)],
        /Line 10 is not JSON/,
      ],
      ["a line that is missing", (lines) => lines.toSpliced(-3, 1), /Line \d+: the trailer counts/],
      [
        "a line that came twice",
        (lines) => lines.toSpliced(3, 0, lines[3] ?? ""),
        /Line 5 .* repeats a record of an earlier line: \S/,
      ],
      ["lines after the trailer", (lines) => [...lines, lines[1] ?? ""], /comes after the trailer/],
      [
        "a record of unknown kind",
        (lines) => lines.toSpliced(4, 0, '{"record":"coupon","id":"c"}'),
        /Line 5 is a record of unknown kind "coupon"/,
      ],
      [
        "a member that is not known",
        (lines) => lines.toSpliced(1, 1, (lines[1] ?? "").replace("{", '{"more":1,')),
        /Line 2 is an invalid record of kind "account"/,
      ],
      [
        "a value of the wrong type",
        (lines) => lines.map((line) => line.replace('"amount":20,', '"amount":"20",')),
        /"grant" \(amount: /,
      ],
      [
        "a grant before its account",
        (lines) => lines.toSpliced(1, 0, lines.find((line) => line.includes('"grant"')) ?? ""),
        /Line 2 \(grant\) refers to an account or a key that is not in an earlier line/,
      ],
      [
        "a purchase of an unknown account",
        (lines) =>
          lines.map((line) => line.replace(/("pur_b","account":")\w+/, "$1acc_Nobody000000")),
        /\(purchase\) refers to an account or a key that is not in an earlier line/,
      ],
      [
        "a purchase with an unknown status",
        (lines) => lines.map((line) => line.replace('"status":"paid"', '"status":"gift"')),
        /"purchase" \(status: /,
      ],
      [
        "a call of which several grants paid more than its price",
        (lines) => lines.map((line) => line.replace(/("credits":)30(,"isFree":false)/, "$129$2")),
        /"debit" \(.*add up/,
      ],
      [
        "a digit that was changed",
        (lines) => lines.map((line) => line.replace(/("sha256":")[0-9a-f]{4}/, "$1beef")),
        /SHA-256 in the trailer does not match/,
      ],
      [
        "totals that do not reconcile, without a SHA-256",
        (lines) =>
          lines.map((line) =>
            line
              .replace('"remaining":24', '"remaining":23')
              .replace(/,"sha256":"\w+"\}$/, (end) => (line.includes("trailer") ? "}" : end)),
          ),
        /do not reconcile/,
      ],
    ];
    for (const [what, spoil, fault] of spoilt) {
      test(`rejects ${what}, and stores nothing`, async (t) => {
        const to = await openGoal(t);
        const empty = await to.lines(true);
        await assert.rejects(
          to.take(spoil(await filledLines(t))),
          (error) => error instanceof TransferError && fault.test(error.message),
        );
        assert.deepEqual(await to.lines(true), empty);
      });
    }

    test("never reveals the secret when it rejects a line", async (t) => {
      const to = await openGoal(t);
      const lines = ['{"record":"header","format":"toolbooth-ledger","version":1}'];
      for (const line of [
        '{"record":"secret","value":["hush"]}',
        '{"record":"secret","value":"hush"',
      ]) {
        await assert.rejects(
          to.take([...lines, line]),
          (error) => error instanceof TransferError && !/hush/.test(error.message),
        );
      }
    });

    test("imports into an empty ledger only", async (t) => {
      const to = await openGoal(t);
      assert.equal(await to.isEmpty(), true);
      const lines = await filledLines(t);
      await to.take(lines);
      assert.equal(await to.isEmpty(), false);
      await assert.rejects(to.take(lines), /not empty/);
    });

    test("imports lines whose trailer has no SHA-256, which someone edited on purpose", async (t) => {
      const to = await openGoal(t);
      const lines = (await filledLines(t)).map((line) =>
        line.replace(/,"sha256":"\w{64}"\}$/, "}"),
      );
      await to.take(lines.map((line) => line.replace('"email":"bob@b.c"', '"email":"rob@b.c"')));
      const found = await to.directory.findByEmail({ email: "rob@b.c" });
      assert.equal(found?.account, "acc_Bob000000000");
    });

    test("writes the upcoming expiry events of a grant", async (t) => {
      const to = await openGoal(t);
      await to.take(await filledLines(t));
      const { ledger } = to;
      const look = (now: number) => ledger.recordExpiries({ now, max: 99 });
      assert.equal((await look(NOW + 3 * DAY - 1)).notified, 0);
      assert.equal((await look(NOW + 3 * DAY)).notified, 1);
      assert.equal((await look(NOW + 10 * DAY)).notified, 1);
      const { events } = await ledger.listEvents({ max: 99 });
      assert.deepEqual(
        events.map(({ account, kind }) => [account, kind]),
        ["credits.expiring", "credits.depleted"].map((kind) => [accountId("Eve"), kind]),
      );
    });

    test("imports lines from before purchases were exported", async (t) => {
      const to = await openGoal(t);
      const lines = (await filledLines(t)).filter((line) => !line.includes('"record":"purchase"'));
      const trailer = JSON.parse(lines.pop() ?? "");
      const { purchase, ...counts } = trailer.counts;
      assert.equal(purchase, 3);
      await to.take([...lines, JSON.stringify({ record: "trailer", counts })]);
      assert.deepEqual(
        (await to.lines(true)).filter((line) => !line.includes('"trailer"')),
        lines,
      );
    });

    test("names the line of the first conflicting record among many", async (t) => {
      const to = await openGoal(t);
      const lines = await filledLines(t);
      const place = lines.findIndex((line) => line.includes('"record":"debit"')) + 17;
      const debit = JSON.parse(lines[place] ?? "");
      for (const [change, fault] of [
        [
          { key: "key_Nobody0000000000000000" },
          "refers to an account or a key that is not in an earlier line",
        ],
        [
          { account: "acc_Nobody000000" },
          "refers to an account or a key that is not in an earlier line",
        ],
        [
          { grant: "nothing" },
          "contradicts itself, or refers to a grant that is not in an earlier line",
        ],
        [
          { credits: 3, parts: [part("a", 1), part("nothing", 2)] },
          "contradicts itself, or refers to a grant that is not in an earlier line",
        ],
        [{ credits: 0 }, "contradicts itself, or refers to a grant that is not in an earlier line"],
        [{}, "repeats a record of an earlier line"],
      ] as const) {
        const odd = { ...debit, credits: 1, grant: "a", ...change };
        await assert.rejects(
          to.take(lines.toSpliced(place + 1, 0, JSON.stringify(odd))),
          (error) =>
            error instanceof TransferError &&
            error.message === `Line ${place + 2} (debit) ${fault}: ${odd.callId}`,
        );
      }
      assert.equal(await to.isEmpty(), true);
    });
  });
}

const part = (id: string, credits: number) => ({ id, kind: "pack", credits });

/** Lines of a ledger with one of everything. */
async function filledLines(t: TestContext): Promise<string[]> {
  const from = openEmpty(t);
  await fill(from);
  return linesOf(from, true);
}
