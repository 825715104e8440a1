/**
 * Measures what a page costs on a slow mobile connection: `npm run measure:pages -- [part of a name …]`.
 *
 * Starts the real server on an empty data folder and opens each page in a new Chromium context with an empty cache, at
 * 1.6 Mbit/s down, 750 kbit/s up, 150 ms latency per request and the CPU slowed four times, with a signed-in session where
 * the page needs one. Prints the median of the runs, and the fastest LCP, which other load on the machine affects least.
 * `TEST_PAGE_RUNS` sets the number of runs (5).
 */
import type { Browser, Page } from "playwright-core";
import { openBrowser } from "../support/chromium.ts";
import { cookiesOf } from "../support/dashboard-browser.ts";
import { newIpAddress, openSite, signUpByApi, type TestSite } from "../support/dashboard-site.ts";

const RUNS = Number(process.env["TEST_PAGE_RUNS"] ?? 5);
const CPU_SLOWDOWN = 4;
const NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
};
/** A page is finished when it has had no request for this long. */
const QUIET_MS = 1_500;
const LOAD_DEADLINE_MS = 60_000;

type PageToMeasure = { name: string; path: string; isMember?: true };

const PAGES: readonly PageToMeasure[] = [
  { name: "front", path: "/" },
  { name: "docs", path: "/docs" },
  { name: "pricing", path: "/pricing" },
  { name: "sign-in", path: "/sign-in" },
  { name: "tools", path: "/tools" },
  { name: "tools/markdown-render", path: "/tools/markdown-render" },
  { name: "tools/uuid", path: "/tools/uuid" },
  { name: "home", path: "/home", isMember: true },
  { name: "keys", path: "/settings/api-keys", isMember: true },
  { name: "usage", path: "/usage", isMember: true },
  { name: "requests", path: "/requests", isMember: true },
  { name: "credits", path: "/credits", isMember: true },
  { name: "account", path: "/settings/account", isMember: true },
];

type Load = {
  /** Requests of the page, without those that the browser answers itself. */
  requests: number;
  /** Bytes on the wire, compressed, with headers. */
  scriptBytes: number;
  bytes: number;
  lcpMs: number;
  cls: number;
};

type Cookies = ReturnType<typeof cookiesOf>;

async function measureAll(
  browser: Browser,
  site: TestSite,
  cookies: Cookies,
  parts: readonly string[],
): Promise<void> {
  const chosen = PAGES.filter(
    ({ name }) => parts.length === 0 || parts.some((part) => name.includes(part)),
  );
  print("| Page | Requests | JavaScript kB | All kB | LCP s (fastest) | CLS |");
  print("| --- | --: | --: | --: | --: | --: |");
  for (const page of chosen) {
    const { status } = await fetch(site.base + page.path);
    if (status !== 200) {
      process.stderr.write(`SKIPPED ${page.name}: ${page.path} responds with ${status}\n`);
      continue;
    }
    const loads: Load[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      loads.push(await loadPage(browser, site, page, page.isMember ? cookies : []));
    }
    print(row(page.name, loads));
  }
}

/** One row of the table: medians of the runs. */
function row(name: string, loads: readonly Load[]): string {
  const median = (member: keyof Load) => medianOf(loads.map((load) => load[member]));
  const fastest = Math.min(...loads.map(({ lcpMs }) => lcpMs));
  const kilobytes = (bytes: number) => (bytes / 1_000).toFixed(1);
  return `| ${[
    name,
    median("requests"),
    kilobytes(median("scriptBytes")),
    kilobytes(median("bytes")),
    `${(median("lcpMs") / 1_000).toFixed(2)} (${(fastest / 1_000).toFixed(2)})`,
    median("cls").toFixed(3),
  ].join(" | ")} |`;
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** A member with a key and calls, so that the pages show what they usually show. Returns the cookies of the session. */
async function signInWithHistory(site: TestSite): Promise<Cookies> {
  const { cookies } = await signUpByApi(site, "reader");
  const post = (path: string, body: object, headers: Record<string, string>) =>
    fetch(site.base + path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const ofMember = { Origin: site.base, Cookie: cookies.join("; ") };
  const made = await post("/dashboard/keys", { label: "production" }, ofMember);
  if (!made.ok) throw new Error(`No key: ${made.status} ${await made.text()}`);
  const { secret } = (await made.json()) as { secret: string };
  for (let call = 0; call < 20; call += 1)
    await post("/api/v1/hash", { text: `call ${call}` }, { Authorization: `Bearer ${secret}` });
  return cookiesOf(cookies, site);
}

async function loadPage(
  browser: Browser,
  site: TestSite,
  { path }: PageToMeasure,
  cookies: Cookies,
): Promise<Load> {
  const context = await browser.newContext({
    baseURL: site.base,
    viewport: { width: 390, height: 844 },
    extraHTTPHeaders: { "X-Forwarded-For": newIpAddress() },
  });
  try {
    await context.addCookies(cookies);
    await context.addInitScript(OBSERVE);
    const page = await context.newPage();
    const traffic = await throttle(page);
    await page.goto(path, { timeout: LOAD_DEADLINE_MS });
    await traffic.quiet();
    const { lcp, cls } = await page.evaluate<{ lcp: number; cls: number }>("globalThis.measured");
    return { ...traffic.totals(), lcpMs: lcp, cls };
  } finally {
    await context.close();
  }
}

/** Records what the browser reports about painting and layout (Largest Contentful Paint, Layout Instability). */
const OBSERVE = `{
  const measured = { lcp: 0, cls: 0 };
  globalThis.measured = measured;
  const observe = (type, each) =>
    new PerformanceObserver((list) => list.getEntries().forEach(each)).observe({ type, buffered: true });
  observe("largest-contentful-paint", (entry) => { measured.lcp = entry.startTime; });
  observe("layout-shift", (entry) => { if (!entry.hadRecentInput) measured.cls += entry.value; });
}`;

/** Slows the page down and counts its traffic. */
async function throttle(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.enable");
  await devtools.send("Network.emulateNetworkConditions", NETWORK);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
  const types = new Map<string, string>();
  const pending = new Set<string>();
  let [requests, scriptBytes, bytes, lastChange] = [0, 0, 0, Date.now()];
  devtools.on("Network.requestWillBeSent", ({ requestId, request, type }) => {
    if (/^(?:data|blob):/.test(request.url)) return;
    if (!types.has(requestId)) requests += 1;
    types.set(requestId, type ?? "");
    pending.add(requestId);
    lastChange = Date.now();
  });
  const end = (requestId: string) => {
    pending.delete(requestId);
    lastChange = Date.now();
  };
  devtools.on("Network.loadingFailed", ({ requestId }) => end(requestId));
  devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    bytes += encodedDataLength;
    if (types.get(requestId) === "Script") scriptBytes += encodedDataLength;
    end(requestId);
  });
  return {
    totals: () => ({ requests, scriptBytes, bytes }),
    /** Resolves when the page has stopped loading. */
    async quiet() {
      for (const started = Date.now(); Date.now() - started < LOAD_DEADLINE_MS; ) {
        if (pending.size === 0 && Date.now() - lastChange > QUIET_MS) return;
        await new Promise((done) => setTimeout(done, 100));
      }
    },
  };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

const closers: (() => unknown)[] = [];
const hooks = { after: (close: () => unknown) => void closers.push(close) };

try {
  const [browser, site] = await Promise.all([openBrowser(), openSite(hooks)]);
  closers.push(() => browser.close());
  const cookies = await signInWithHistory(site);
  await measureAll(browser, site, cookies, process.argv.slice(2));
} finally {
  for (const close of closers.reverse()) await close();
}
