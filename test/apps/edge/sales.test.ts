import assert from "node:assert/strict";
import { test } from "node:test";
import { salesKnownTo } from "../../../src/apps/edge/sales.ts";

/** Counts the questions to a site Worker that answers with `answer`. */
function openSite(answer: () => Response) {
  const asked: string[] = [];
  const fetch = async (request: Request) => {
    asked.push(request.url);
    return answer();
  };
  return { asked, sales: salesKnownTo({ fetch }, "https://tools.example.com") };
}

test("an isolate asks the site Worker once how credits are sold", async () => {
  const prices = { packs: [], lifetime: null, payable: true, taxesAdded: false, contact: null };
  const { asked, sales } = openSite(() => Response.json(prices));
  assert.deepEqual(await sales(), { payable: true, contact: null });
  assert.deepEqual(await sales(), { payable: true, contact: null });
  assert.deepEqual(asked, ["https://tools.example.com/dashboard/prices"]);
});

test("after a failure of the site Worker, calls do not ask it again, and claim nothing", async () => {
  for (const answer of [
    () => Response.json({ ok: false }, { status: 503 }),
    () => new Response("not JSON"),
    () => {
      throw new Error("unreachable");
    },
  ]) {
    const { asked, sales } = openSite(answer);
    assert.equal(await sales(), null);
    assert.equal(await sales(), null);
    assert.equal(asked.length, 1);
  }
});

test("a service without a site Worker sells nothing", async () => {
  const sales = salesKnownTo(undefined, "https://tools.example.com");
  assert.deepEqual(await sales(), { payable: false, contact: null });
});
