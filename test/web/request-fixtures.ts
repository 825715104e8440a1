import type { RequestSummaryView, RequestsView, RequestView } from "#api/dashboard/shapes.ts";
import { ERRORS } from "#errors.ts";
import { keys, NOW } from "./fixtures.ts";

/** Sample responses of the request log. */
const TOOLS = ["hash", "qr-code", "markdown-render", "uuid", "echo"];
const MINUTE = 60_000;
const [first, second, , revoked] = keys.map(({ id }) => id);

/** A request that differs by its turn, without randomness, so that screenshots do not change. */
export function sampleRequest(turn: number, change: Partial<RequestView> = {}): RequestView {
  const tool = 0.4 + ((turn * 7) % 23) / 3;
  const ledger = 1.2 + ((turn * 5) % 11) / 4;
  return {
    id: `req_${String(turn).padStart(2, "0")}vK8mTqXw4Zr2`,
    cursor: String(900_000 - turn),
    at: NOW - 20_000 - turn * 3 * MINUTE - (turn % 7) * 11_000,
    tool: TOOLS[turn % TOOLS.length] as string,
    status: 200,
    code: null,
    key: (turn % 4 === 3 ? second : first) ?? null,
    via: "http",
    charged: 1,
    replayed: false,
    times: { total: tool + ledger + 0.6, body: 0.3, tool, ledger },
    bytes: { received: 34 + ((turn * 977) % 4000), sent: 128 + ((turn * 1913) % 9000) },
    address: "203.0.113.7",
    detail: null,
    errors: null,
    ...change,
  };
}

type Code = keyof typeof ERRORS;
export const failed = (turn: number, code: Code, change: Partial<RequestView> = {}): RequestView =>
  sampleRequest(turn, {
    ...{ code, status: ERRORS[code].status, charged: 0 },
    times: { total: 1.4, body: 0.6, tool: null, ledger: null },
    ...change,
  });

const LIST: RequestView[] = [
  sampleRequest(0),
  failed(1, "rate_limited", {
    bytes: { received: null, sent: 412 },
    detail: "This account may make 100 calls a second, in bursts of 200. Wait a second.",
  }),
  sampleRequest(2, { address: "2001:db8:85a3:8d3:1319:8a2e:370:7348" }),
  failed(3, "invalid_request", {
    detail:
      "`count` must be a whole number from 1 to 500; got 501, and `uppercas` is not a field of uuid. Did you mean `uppercase`?",
    errors: [
      { pointer: "/count", detail: "must be a whole number from 1 to 500; got 501" },
      { pointer: "/uppercas", detail: "is not a field of uuid; did you mean `uppercase`?" },
    ],
  }),
  sampleRequest(4, {
    bytes: { received: 1_048_000, sent: 1_391_220 },
    times: { total: 1312, body: 804, tool: 470.2, ledger: 2.1 },
  }),
  sampleRequest(5, { via: "mcp" }),
  failed(6, "insufficient_credits", {
    detail:
      "This call costs 1 credit, and the account has 0. Get more at https://tools.test/credits.",
  }),
  failed(7, "unavailable", { times: { total: 30_012, body: 0.3, tool: 1.2, ledger: 30_008 } }),
  sampleRequest(8, { replayed: true, charged: 0 }),
  failed(9, "text_too_long_for_level", {
    key: revoked ?? null,
    detail: "The text has 2400 bytes; level H holds 1273. Level L holds 2953.",
  }),
  failed(10, "key_budget_exhausted", { key: null, address: null }),
  ...Array.from({ length: 13 }, (_, index) => sampleRequest(11 + index)),
  ...Array.from({ length: 6 }, (_, index) =>
    sampleRequest(24 + index, { at: NOW - (15 + index) * 60 * MINUTE }),
  ),
];

const kept = { keptDays: 7, keptMax: 100_000 };
const namedKeys = keys.map(({ id, label, start, revokedAt }) => ({ id, label, start, revokedAt }));
export const requests: RequestsView = { requests: LIST, next: "older", keys: namedKeys, ...kept };
export const noRequests: RequestsView = { requests: [], next: null, keys: [], ...kept };
/** Twelve requests that came since the list was loaded. */
export const newRequests: RequestsView = {
  ...requests,
  next: null,
  requests: Array.from({ length: 12 }, (_, index) =>
    sampleRequest(60 + index, { cursor: `9${99_999 - index}`, at: NOW - index * 900 }),
  ),
};
export const oneRequest: RequestsView = {
  ...requests,
  requests: [LIST[3] as RequestView],
  next: null,
};
export const lastErrors: RequestView[] = LIST.filter(({ code }) => code !== null).slice(0, 5);

export const requestSummary: RequestSummaryView = {
  tools: [
    { tool: "hash", requests: 7421, errors: 12, p50: 2.4, p99: 11.2 },
    { tool: "qr-code", requests: 1203, errors: 84, p50: 6.1, p99: 31 },
    { tool: "markdown-render", requests: 640, errors: 0, p50: 4.8, p99: 212 },
    { tool: "uuid", requests: 96, errors: 3, p50: 1.9, p99: 4.4 },
  ],
};
export const noSummary: RequestSummaryView = { tools: [] };
