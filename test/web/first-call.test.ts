import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { BalancedEntryView, KeyView, RequestView } from "#api/dashboard/shapes.ts";
import { seenInLedger, seenInLog } from "../../web/home/seen-calls.ts";
import { createReveal, FIRST_LABEL, findUnusedKey } from "../../web/keys/reveal-key.ts";
import { nextPollMs } from "../../web/parts/poll-pace.ts";
import { entries, keys, NOW, SECRET } from "./fixtures.ts";
import { sampleRequest } from "./request-fixtures.ts";

/** The way from a new account to the first call, without a browser. */

const entry = (id: string, change: Partial<BalancedEntryView>): BalancedEntryView => ({
  ...{ id, at: NOW, kind: "grant", credits: 100, grant: null, parts: null },
  ...{ tool: null, key: null, calls: null, balance: null },
  ...change,
});

const call = (cursor: string, status: number, code: string | null = null): RequestView =>
  sampleRequest(0, { id: `req_${cursor}`, cursor, status, code });

describe("the first call", () => {
  it("is found in the request log, with the newest error only where it is newer", () => {
    assert.deepEqual(seenInLog({ requests: [] }), { success: null, error: null });
    const rejected = seenInLog({ requests: [call("b", 402, "insufficient_credits")] });
    assert.deepEqual([rejected.success, rejected.error?.code], [null, "insufficient_credits"]);
    const both = seenInLog({ requests: [call("c", 200), call("b", 401, "invalid_key")] });
    assert.deepEqual([both.success?.requestId, both.error], ["req_c", null]);
    const later = seenInLog({ requests: [call("d", 400, "invalid_json"), call("c", 200)] });
    assert.deepEqual([later.success?.id, later.error?.id], ["c", "d"]);
  });

  it("is found in the ledger where there is no log, whether it was charged or free", () => {
    assert.deepEqual(seenInLedger({ entries: [entry("g", {})] }), { success: null, error: null });
    const debit = entry("d", { kind: "debit", credits: 0, tool: "hash", calls: 1 });
    const { success } = seenInLedger({ entries: [debit, entry("g", {})] });
    assert.deepEqual([success?.tool, success?.status, success?.at], ["hash", 200, NOW]);
    assert.notEqual(seenInLedger(entries).success, null);
  });

  it("is polled for at a quick pace first, then ever more slowly", () => {
    const [first, last, next, late] = [0, 30, 33, 10_000].map((polls) => nextPollMs(polls, 30));
    assert.deepEqual([first, last, late], [2_000, 2_000, 15_000]);
    assert.ok((next ?? 0) > 2_000);
  });
});

/** What a page gets where no response arrives. */
const lost = new Error("The service cannot be reached.");

/** The service in memory. `lose` names requests whose response is lost after they were carried out. */
function openKeys(existing: KeyView[] = []) {
  const list = [...existing];
  const lose: string[] = [];
  const sent: string[] = [];
  const [like] = keys as [KeyView];
  const send = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const name = `${method} ${path.replace(/key_\w+/, "ID")}`;
    sent.push(name);
    const respond = () => {
      const id = /key_\w+/.exec(path)?.[0];
      if (method === "GET") return { keys: list, bounds: {} };
      if (id !== undefined) {
        return { key: list.find((key) => key.id === id), secret: `${SECRET}-rotated` };
      }
      const key: KeyView = {
        ...like,
        id: `key_new${list.length}`,
        label: (body as { label: string }).label,
      };
      list.unshift({ ...key, createdAt: NOW, lastUsedAt: null });
      return { key: list[0], secret: SECRET };
    };
    const response = respond();
    if (lose[0] !== name) return response as T;
    lose.shift();
    throw lost;
  };
  return { list, lose, sent, reveal: createReveal(send) };
}

describe("revealing the first key", () => {
  it("makes one key with a label of its own", async () => {
    const { reveal, list, sent } = openKeys();
    const made = await reveal(null);
    assert.ok("created" in made && made.created.secret === SECRET);
    assert.deepEqual([list.length, list[0]?.label], [1, FIRST_LABEL]);
    assert.deepEqual(sent, ["GET /dashboard/keys", "POST /dashboard/keys"]);
  });

  it("gives the key of a lost response a new secret, instead of making another one", async () => {
    const { reveal, list, lose } = openKeys();
    lose.push("POST /dashboard/keys", "POST /dashboard/keys/ID/rotate");
    await assert.rejects(reveal(null), lost);
    await assert.rejects(reveal(null), lost);
    const made = await reveal(null);
    assert.ok("created" in made && made.created.secret === `${SECRET}-rotated`);
    assert.equal(list.length, 1);
  });

  it("makes the key at the next attempt where the request was lost, and not the response", async () => {
    const { reveal, list, lose } = openKeys();
    lose.push("GET /dashboard/keys");
    await assert.rejects(reveal(null), lost);
    assert.equal(list.length, 0);
    assert.ok("created" in (await reveal(null)));
    assert.equal(list.length, 1);
  });

  it("replaces no secret of a key that it does not know, unless the user says so", async () => {
    const unused = { ...(keys[0] as KeyView), id: "key_other", lastUsedAt: null };
    const { reveal, list, sent } = openKeys([unused]);
    assert.deepEqual(await reveal(null), { found: unused });
    assert.equal(list.length, 1);
    const replaced = await reveal(unused);
    assert.ok("created" in replaced);
    assert.equal(sent.at(-1), "POST /dashboard/keys/ID/rotate");
  });

  it("forgets an attempt that the service rejected", async () => {
    const { list } = openKeys();
    const rejected = Object.assign(new Error("This account is suspended."), { status: 403 });
    const reveal = createReveal(async <T>(method: string): Promise<T> => {
      if (method === "GET") return { keys: list } as T;
      throw rejected;
    });
    await assert.rejects(reveal(null), rejected);
    list.push({ ...(keys[0] as KeyView), id: "key_meanwhile", lastUsedAt: null });
    assert.ok("found" in (await reveal(null)));
  });

  it("knows unused keys by their last use, newest first", () => {
    assert.equal(findUnusedKey(keys)?.label, "development");
    assert.equal(findUnusedKey([]), null);
  });
});
