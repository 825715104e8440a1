/** The API in this process, with the time and the random bytes that the page's code is given in the same test. */

import { inProcess, openInProcess } from "../http/in-process.ts";
import { createBackstage } from "../http/ledger-access.ts";
import { createCaller, openService, type TestServiceSettings } from "../http/test-api.ts";
import { createMemoryLedger } from "../support/memory-ledger.ts";

export const RECEIVED_AT = Date.UTC(2026, 10, 21, 22, 26, 7, 89);
/** A request id that the service keeps, as it is well-formed. */
export const REQUEST_ID = "in-your-browser";

/** The same bytes for the same count, on both sides: the page has this function as a text. */
export const patternedBytes = (count: number) =>
  Uint8Array.from({ length: count }, (_, at) => ((at * 31 + 7) ^ (at >> 5)) & 0xff);

export async function openApi() {
  const time = { now: () => RECEIVED_AT, elapsed: () => 0 };
  const backstage = createBackstage(createMemoryLedger(), time);
  const open = async (settings: TestServiceSettings) =>
    openInProcess(backstage, settings, { random: patternedBytes });
  const service = await openService({ ...inProcess, open }, { rateLimit: 0 });
  const caller = await createCaller(service, { credits: 1_000_000 });
  return {
    /** The status and the bytes that a client of the API gets. */
    async post(tool: string, body: Uint8Array) {
      const headers = { "Content-Type": "application/json", "X-Request-Id": REQUEST_ID };
      const { status, bytes } = await caller.post(tool, { headers, body });
      return { status, bytes };
    },
  };
}
