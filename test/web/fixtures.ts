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
  verified: true,
  createdAt: NOW - 61 * DAY,
  account: { id: "acc_7Hq2LmZx9TbC", state: "open", balance: 12_844, level: "enough" },
  hasPassword: true,
  providers: ["github"],
};

export const visitor: Visitor = {
  user,
  signUp: "open",
  providers: ["github", "google"],
  starter: { credits: 100, days: 90 },
  apiUrl: "http://127.0.0.1:8787",
  emailsStayHere: true,
  sales: { payable: true, contact: "sales@example.org" },
  requestLog: true,
  passkeyOrigin: null,
};
export const signedOut: Visitor = { ...visitor, user: null };
export const unverified: Visitor = {
  ...visitor,
  user: { ...user, verified: false, account: null, providers: [] },
};
export const suspended: Visitor = {
  ...visitor,
  user: {
    ...user,
    account: { id: "acc_7Hq2LmZx9TbC", state: "suspended", balance: 12_844, level: "enough" },
  },
};
export const withoutPassword: Visitor = {
  ...visitor,
  user: { ...user, hasPassword: false, providers: ["github", "google"] },
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
  setUp: { secondFactor: true, alerts: true },
};
export const newHome: HomeView = {
  balance: 100,
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
  setUp: { secondFactor: false, alerts: true },
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

/** Every state that a key can have, in the order of the list. */
export const limitedKeys: KeyView[] = [
  key("Ab3dEf6hIj", "production", {
    callsLastDay: 1281,
    lastUsedAt: NOW - 60_000,
    limits: {
      ...noLimits,
      expiresAt: Date.UTC(2027, 2, 4),
      tools: ["hash", "uuid"],
      budgets: { day: budget(500, 120, MIDNIGHT), month: null, total: null },
    },
  }),
  key("Kl9nOp2rSt", "staging", {
    callsLastDay: 20,
    limits: {
      ...noLimits,
      tools: ["echo", "hash", "qr-code", "uuid"],
      networks: ["203.0.113.0/24", "2001:db8::/48"],
      rate: 5,
      budgets: { day: budget(20, 20, MIDNIGHT), month: budget(400, 310, MIDNIGHT), total: null },
    },
  }),
  key("Mn1oPq4rSt", "partner in Zürich", {
    previousUntil: NOW + 3 * DAY,
    limits: { ...noLimits, networks: ["198.51.100.7/32"] },
  }),
  key("Op2qRs5tUv", "demo at the conference", {
    createdAt: NOW - 5 * DAY,
    limits: {
      ...noLimits,
      expiresAt: MIDNIGHT + 2 * DAY,
      budgets: { day: null, month: null, total: budget(1000, 640, null) },
    },
  }),
  key("Qr3sTu6vWx", "trial", {
    limits: {
      ...noLimits,
      budgets: { day: null, month: null, total: budget(1000, 1000, null) },
    },
  }),
  key("St4uVw7xYz", "contractor", {
    lastUsedAt: NOW - 9 * DAY,
    limits: { ...noLimits, expiresAt: NOW - 8 * DAY },
  }),
  key("Uv5wXy8zAb", "laptop", {
    createdAt: NOW - 200 * DAY,
    lastUsedAt: NOW - 130 * DAY,
    isUnused: true,
  }),
];
export const rotatedKey: KeyView = { ...(keys[0] as KeyView), previousUntil: NOW + DAY };
const usageKeys: UsageView["keys"] = keys.map(({ id, label, start, revokedAt }) => ({
  id,
  label,
  start,
  revokedAt,
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

export const credits: CreditsView = {
  balance: 12_844,
  lifetime: false,
  nextExpiry: { credits: 44, at: NOW + 29 * DAY },
  permanent: 2800,
  next: null,
  grants: [
    {
      id: "starter:acc_7Hq2LmZx9TbC",
      kind: "starter",
      amount: 100,
      remaining: 44,
      grantedAt: NOW - 61 * DAY,
      expiresAt: NOW + 29 * DAY,
      waivedExpiresAt: null,
    },
    {
      id: "stripe:pi_3",
      kind: "pack",
      amount: 10_000,
      remaining: 10_000,
      grantedAt: NOW - 20 * DAY,
      expiresAt: Date.UTC(2027, 10, 1, 9),
      waivedExpiresAt: null,
    },
    {
      id: "operator:thanks",
      kind: "operator",
      amount: 2800,
      remaining: 2800,
      grantedAt: NOW - 10 * DAY,
      expiresAt: null,
      waivedExpiresAt: null,
    },
    {
      id: "stripe:pi_1",
      kind: "pack",
      amount: 5000,
      remaining: 0,
      grantedAt: NOW - 55 * DAY,
      expiresAt: Date.UTC(2027, 8, 27, 9),
      waivedExpiresAt: null,
    },
    {
      id: "operator:trial",
      kind: "operator",
      amount: 50,
      remaining: 0,
      grantedAt: NOW - 60 * DAY,
      expiresAt: NOW - 30 * DAY,
      waivedExpiresAt: null,
    },
  ],
};
export const noCredits: CreditsView = {
  ...{ balance: 0, lifetime: false, nextExpiry: null, permanent: 0 },
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
const newerEntries = balanced(
  [
    entry("1", {
      at: NOW - 60_000,
      credits: -25,
      parts: [
        { grant: starter, credits: -5 },
        { grant: { id: "stripe:pi_1", kind: "pack" }, credits: -20 },
      ],
    }),
    entry("2", { at: NOW - 2 * HOUR, tool: "qr-code", key: (keys[1] as KeyView).id }),
    entry("3", { at: NOW - 3 * HOUR, kind: "reversal", credits: 1 }),
    entry("4", { at: NOW - 5 * DAY, kind: "usage", credits: -3120, calls: 3120, tool: "uuid" }),
    entry("5", {
      at: NOW - 10 * DAY,
      kind: "grant",
      credits: 2800,
      grant: { id: "operator:thanks", kind: "operator" },
      ...noCall,
    }),
    entry("6", {
      at: NOW - 30 * DAY,
      kind: "expiry",
      credits: -12,
      grant: { id: "operator:trial", kind: "operator" },
      ...noCall,
    }),
    entry("7", {
      at: NOW - 33 * DAY,
      kind: "void",
      credits: -200,
      grant: { id: "stripe:pi_0", kind: "pack" },
      ...noCall,
    }),
  ],
  1_847,
);
export const entries: EntriesView = {
  entries: newerEntries,
  next: "cursor-2",
  searchedTo: null,
};
export const olderEntries: EntriesView = {
  entries: balanced(
    [
      entry("8", { at: NOW - 61 * DAY + 60_000, credits: 0, grant: null }),
      entry("9", { at: NOW - 61 * DAY, kind: "grant", credits: 100, ...noCall }),
    ],
    100,
  ),
  next: null,
  searchedTo: null,
};
/** A search that stopped before it found a page of matches. */
export const searchedEntries: EntriesView = {
  entries: newerEntries.slice(0, 1),
  next: "cursor-2",
  searchedTo: NOW - 20 * DAY,
};
export const noEntries: EntriesView = { entries: [], next: null, searchedTo: null };

export const sessions: SessionView[] = [
  {
    id: "ses_1",
    current: true,
    createdAt: NOW - 2 * HOUR,
    lastSeenAt: NOW,
    address: "203.0.113.7",
    userAgent:
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Safari/537.36",
  },
  {
    id: "ses_2",
    current: false,
    createdAt: NOW - 9 * DAY,
    lastSeenAt: NOW - 3 * DAY,
    address: "2001:db8:85a3:8d3:1319:8a2e:370:7348",
    userAgent:
      "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Mobile/15E148 Safari/604.1",
  },
  {
    id: "ses_3",
    current: false,
    createdAt: NOW - 30 * DAY,
    lastSeenAt: NOW - 29 * DAY,
    address: null,
    userAgent: null,
  },
];

export const events: EventsView = {
  events: [
    event("1", NOW - 2 * HOUR, "signed_in_new_browser", null),
    event("7", NOW - 5 * HOUR, "sign_in_failed", null),
    event("2", NOW - 3 * DAY, "key_created", "development"),
    event("3", NOW - 20 * DAY, "key_revoked", (keys[3] as KeyView).label),
    event("4", NOW - 22 * DAY, "provider_linked", "github"),
    event("5", NOW - 30 * DAY, "email_changed", "ada@example.com"),
  ],
  next: "cursor-2",
};
export const olderEvents: EventsView = {
  events: [event("6", NOW - 61 * DAY, "email_verified", null)],
  next: null,
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
