import type {
  BalancedEntryView,
  CreditsView,
  EntriesView,
  EntryView,
  EventsView,
  HomeView,
  KeyLimitsView,
  KeysView,
  KeyView,
  SessionView,
  UsageView,
  UserView,
  Visitor,
} from "#api/dashboard/shapes.ts";

/** Sample responses of the service: an account after some weeks of use, and a new one. */
export const NOW = Date.UTC(2026, 10, 21, 14, 30);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const dayBefore = (days: number) => new Date(NOW - days * DAY).toISOString().slice(0, 10);

export const user: UserView = {
  email: "ada@example.com",
  createdAt: NOW - 61 * DAY,
  account: { id: "acc_7Hq2LmZx9TbC", state: "open", balance: 12_844, level: "enough", prices: {} },
  requiresPasskey: false,
  providers: ["github"],
};

export const visitor: Visitor = {
  user,
  signUp: "open",
  providers: ["github", "google"],
  starter: { credits: 100, days: 90 },
  apiUrl: "http://127.0.0.1:8787",
  hasFreeCall: true,
  emailsStayHere: true,
  sales: { payable: true, contact: "sales@example.org" },
  requestLog: true,
  passkeyOrigin: null,
};
export const signedOut: Visitor = { ...visitor, user: null };
export const suspended: Visitor = {
  ...visitor,
  user: {
    ...user,
    account: { ...user.account, state: "suspended" },
  },
};
export const SECRET = "tb_7Hq2LmZx9TbCq8Wd41nVfR5sYtKp3uJgE6aXoM0iBhNzQv2Sc7Lk";
const key = (id: string, label: string, change: Partial<KeyView> = {}): KeyView => ({
  id: `key_7Hq2LmZx9TbC${id}`,
  label,
  start: `tb_7Hq2LmZx9TbC${id.slice(0, 4)}`,
  createdAt: NOW - 40 * DAY,
  lastUsedAt: NOW - 2 * HOUR,
  revokedAt: null,
  callsLastDay: 0,
  limits: null,
  previousUntil: null,
  isUnused: false,
  ...change,
});
export const keys: KeyView[] = [
  key("Ab3dEf6hIj", "production", { callsLastDay: 1281, lastUsedAt: NOW - 60_000 }),
  key("Kl9nOp2rSt", "staging", { callsLastDay: 1, createdAt: NOW - 12 * DAY }),
  key("Uv5xYz8bCd", "development", { lastUsedAt: null, createdAt: NOW - 3 * DAY }),
  key(
    "Ef1hIj4lMn",
    "old laptop of the build farm in the basement, second shelf, behind the boxes",
    {
      createdAt: NOW - 58 * DAY,
      revokedAt: NOW - 20 * DAY,
      lastUsedAt: NOW - 21 * DAY,
    },
  ),
];
const homeKeys: HomeView["topKeys"] = keys
  .filter(({ revokedAt }) => revokedAt === null)
  .map(({ id, label, start, lastUsedAt }, index) => ({
    ...{ id, label, start, lastUsedAt },
    callsToday: [1281, 3, 0][index] ?? 0,
  }));
export const home: HomeView = {
  balance: 12_844,
  held: 0,
  freeCall: false,
  today: { calls: 1284, credits: 1284 },
  keys: 3,
  topKeys: homeKeys,
  keyExpiry: null,
  nextExpiry: { credits: 44, at: NOW + 29 * DAY },
  noStarter: null,
  days: Array.from({ length: 14 }, (_, index) => ({
    day: dayBefore(13 - index),
    calls: index === 13 ? 1284 : ((index * 397) % 700) + (index % 7 > 4 ? 90 : 480),
    errors: (index * 5) % 11 === 0 ? 0 : (index * 17) % 61,
  })),
  creditsPerDay: 560.3,
  lastErrors: [],
  setUp: { passkey: true, alerts: true },
};
export const newHome: HomeView = {
  balance: 100,
  held: 0,
  freeCall: true,
  today: { calls: 0, credits: 0 },
  keys: 0,
  topKeys: [],
  keyExpiry: null,
  nextExpiry: { credits: 100, at: NOW + 90 * DAY },
  noStarter: null,
  days: Array.from({ length: 14 }, (_, index) => ({
    ...{ day: dayBefore(13 - index), calls: 0, errors: 0 },
  })),
  creditsPerDay: 0,
  lastErrors: [],
  setUp: { passkey: false, alerts: true },
};

export const newKey = key("Gh7jKl0nOp", "production", { createdAt: NOW, lastUsedAt: null });
export const fullKeys: KeyView[] = Array.from({ length: 25 }, (_, index) =>
  key(`Qr${String(index).padStart(2, "0")}St3vWx`, `machine ${index + 1}`),
);

const TOOLS = ["hash", "qr-code", "markdown-render", "uuid", "echo"];
const bounds: KeysView["bounds"] = {
  tools: TOOLS,
  callsPerSecond: 100,
  networksMax: 32,
  rotationDaysMax: 30,
};
export const keysView = (list: KeyView[]): KeysView => ({ keys: list, bounds });

const noLimits: KeyLimitsView = {
  expiresAt: null,
  tools: null,
  networks: null,
  rate: null,
  budgets: { day: null, month: null, total: null },
};
const MIDNIGHT = Date.UTC(2026, 10, 22);
const budget = (credits: number, spent: number, resetsAt: number | null) => ({
  credits,
  spent,
  remaining: Math.max(0, credits - spent),
  resetsAt,
});

const limited = (
  id: string,
  label: string,
  limits: Partial<KeyLimitsView>,
  change: Partial<KeyView> = {},
) => key(id, label, { ...change, limits: { ...noLimits, ...limits } });
const noBudgets = noLimits.budgets;

/** Every state that a key can have, in the order of the list. */
export const limitedKeys: KeyView[] = [
  limited(
    "Ab3dEf6hIj",
    "production",
    {
      expiresAt: Date.UTC(2027, 2, 4),
      tools: ["hash", "uuid"],
      budgets: { ...noBudgets, day: budget(500, 120, MIDNIGHT) },
    },
    { callsLastDay: 1281, lastUsedAt: NOW - 60_000 },
  ),
  limited(
    "Kl9nOp2rSt",
    "staging",
    {
      tools: ["echo", "hash", "qr-code", "uuid"],
      networks: ["203.0.113.0/24", "2001:db8::/48"],
      rate: 5,
      budgets: { day: budget(20, 20, MIDNIGHT), month: budget(400, 310, MIDNIGHT), total: null },
    },
    { callsLastDay: 20 },
  ),
  limited(
    "Mn1oPq4rSt",
    "partner in Zürich",
    { networks: ["198.51.100.7/32"] },
    { previousUntil: NOW + 3 * DAY },
  ),
  limited(
    "Op2qRs5tUv",
    "demo at the conference",
    {
      expiresAt: MIDNIGHT + 2 * DAY,
      budgets: { ...noBudgets, total: budget(1000, 640, null) },
    },
    { createdAt: NOW - 5 * DAY },
  ),
  limited("Qr3sTu6vWx", "trial", { budgets: { ...noBudgets, total: budget(1000, 1000, null) } }),
  limited("St4uVw7xYz", "contractor", { expiresAt: NOW - 8 * DAY }, { lastUsedAt: NOW - 9 * DAY }),
  key("Uv5wXy8zAb", "laptop", {
    createdAt: NOW - 200 * DAY,
    lastUsedAt: NOW - 130 * DAY,
    isUnused: true,
  }),
];
export const rotatedKey: KeyView = { ...(keys[0] as KeyView), previousUntil: NOW + DAY };
const usageKeys: UsageView["keys"] = keys.map(({ id, label, start, revokedAt }) => ({
  ...{ id, label, start, revokedAt },
}));

/** Thirty days with gaps. The numbers are computed from their position, so that screenshots do not change. */
export const usage: UsageView = (() => {
  const rows: UsageView["rows"] = [];
  for (let days = 29; days >= 0; days -= 1) {
    if (days % 7 === 5) continue;
    TOOLS.forEach((tool, index) => {
      const calls = ((days * 37 + index * 53) % 89) * (5 - index) * 3;
      if (calls === 0) return;
      const at = keys[(days + index) % 2] as KeyView;
      rows.push({ day: dayBefore(days), tool, key: at.id, calls, credits: calls });
    });
  }
  // The first call of the account is free.
  const first = rows[0];
  if (first !== undefined) first.credits -= 1;
  const total = (part: "calls" | "credits") => rows.reduce((sum, row) => sum + row[part], 0);
  const totals = { calls: total("calls"), credits: total("credits") };
  return { from: dayBefore(29), to: dayBefore(0), rows, keys: usageKeys, totals };
})();
export const noUsage: UsageView = {
  ...usage,
  rows: [],
  keys: [],
  totals: { calls: 0, credits: 0 },
};

type Grant = CreditsView["grants"][number];
const grant = (
  id: string,
  [amount, remaining]: [amount: number, remaining: number],
  daysAgo: number,
  expiresAt: number | null = null,
): Grant => ({
  ...{ id, amount, remaining, expiresAt, waivedExpiresAt: null },
  kind: id.startsWith("stripe") ? "pack" : (id.split(":")[0] as Grant["kind"]),
  grantedAt: NOW - daysAgo * DAY,
});
export const credits: CreditsView = {
  balance: 12_844,
  held: 0,
  lifetime: false,
  nextExpiry: { credits: 44, at: NOW + 29 * DAY },
  permanent: 2800,
  next: null,
  grants: [
    grant("starter:acc_7Hq2LmZx9TbC", [100, 44], 61, NOW + 29 * DAY),
    grant("stripe:pi_3", [10_000, 10_000], 20, Date.UTC(2027, 10, 1, 9)),
    grant("operator:thanks", [2800, 2800], 10),
    grant("stripe:pi_1", [5000, 0], 55, Date.UTC(2027, 8, 27, 9)),
    grant("operator:trial", [50, 0], 60, NOW - 30 * DAY),
  ],
};
export const noCredits: CreditsView = {
  ...{ balance: 0, held: 0, lifetime: false, nextExpiry: null, permanent: 0 },
  ...{ grants: [], next: null },
};

const starter = { id: "starter:acc_7Hq2LmZx9TbC", kind: "starter" } as const;
const entry = (id: string, change: Partial<EntryView>): EntryView => ({
  id,
  at: NOW - HOUR,
  kind: "debit",
  credits: -1,
  grant: starter,
  parts: null,
  tool: "hash",
  key: (keys[0] as KeyView).id,
  calls: 1,
  ...change,
});
/** With the balance after each, from that after the newest. */
function balanced(list: EntryView[], newest: number): BalancedEntryView[] {
  let balance = newest;
  return list.map((each) => {
    const row = { ...each, balance };
    balance -= each.credits;
    return row;
  });
}
const noCall = { tool: null, key: null, calls: null };
const operator = (id: string) => ({ id: `operator:${id}`, kind: "operator" }) as const;
const pack = (id: string) => ({ id: `stripe:${id}`, kind: "pack" }) as const;
const newerEntries = balanced(
  [
    entry("1", {
      at: NOW - 60_000,
      credits: -25,
      parts: [
        { grant: starter, credits: -5 },
        { grant: pack("pi_1"), credits: -20 },
      ],
    }),
    entry("2", { at: NOW - 2 * HOUR, tool: "qr-code", key: (keys[1] as KeyView).id }),
    entry("3", { at: NOW - 3 * HOUR, kind: "reversal", credits: 1 }),
    entry("4", { at: NOW - 5 * DAY, kind: "usage", credits: -3120, calls: 3120, tool: "uuid" }),
    ...(
      [
        ["5", 10, "grant", 2800, operator("thanks")],
        ["6", 30, "expiry", -12, operator("trial")],
        ["7", 33, "void", -200, pack("pi_0")],
      ] as const
    ).map(([id, days, kind, credits, grant]) =>
      entry(id, { at: NOW - days * DAY, kind, credits, grant, ...noCall }),
    ),
  ],
  1_847,
);
export const entries: EntriesView = {
  entries: newerEntries,
  next: "cursor-2",
  searchedTo: null,
};
/** A search that stopped before it found a page of matches. */
export const searchedEntries: EntriesView = {
  entries: newerEntries.slice(0, 1),
  next: "cursor-2",
  searchedTo: NOW - 20 * DAY,
};
export const noEntries: EntriesView = { entries: [], next: null, searchedTo: null };

const session = (
  id: string,
  createdAt: number,
  lastSeenAt: number,
  address: string | null,
  userAgent: string | null,
): SessionView => ({ id, current: id === "ses_1", createdAt, lastSeenAt, address, userAgent });
const LINUX =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Safari/537.36";
const PHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1";
export const sessions: SessionView[] = [
  session("ses_1", NOW - 2 * HOUR, NOW, "203.0.113.7", LINUX),
  session("ses_2", NOW - 9 * DAY, NOW - 3 * DAY, "2001:db8:85a3:8d3:1319:8a2e:370:7348", PHONE),
  session("ses_3", NOW - 30 * DAY, NOW - 29 * DAY, null, null),
];

export const events: EventsView = {
  events: [
    event("1", NOW - 2 * HOUR, "signed_in_new_browser", "code"),
    event("7", NOW - 5 * HOUR, "sign_in_failed", null),
    event("2", NOW - 3 * DAY, "key_created", "development"),
    event("3", NOW - 20 * DAY, "key_revoked", (keys[3] as KeyView).label),
    event("4", NOW - 22 * DAY, "provider_linked", "github"),
    event("5", NOW - 30 * DAY, "email_changed", "ada@example.com"),
  ],
  next: "cursor-2",
};
function event(
  id: string,
  at: number,
  kind: EventsView["events"][number]["kind"],
  detail: string | null,
) {
  const [browser, times] = ["Firefox on Linux", kind === "sign_in_failed" ? 12 : 1];
  return { id, at, kind, detail, address: "203.0.113.7", browser, times };
}
