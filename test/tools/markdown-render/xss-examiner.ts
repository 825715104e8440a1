import type { Browser, BrowserContext, Page, Route } from "playwright-core";
import { HANGS_MS } from "../../support/deadline.ts";
import { type Finding, look, type Rules, type Way, watch } from "./xss-page.ts";

/** A web origin that the test serves itself. */
const HOME = "http://page.test/";
const WAYS: readonly Way[] = ["as a document", "through innerHTML", "read from its own innerHTML"];

/**
 * Everything that rendered Markdown does not need. The policy only reports, so that the page learns of every attempt.
 */
const POLICY = "script style frame object font media connect worker manifest"
  .split(" ")
  .map((kind) => `${kind}-src 'none'; `)
  .join("")
  .concat("base-uri 'none'; form-action 'none'");

/** How long a page has for violations. */
const SETTLE_MS = 50;

export type Examiner = {
  /** The violations that a page saw in several HTML fragments at once. */
  show(htmls: readonly string[], settleMs?: number): Promise<Finding[]>;
  close(): Promise<void>;
};

/**
 * Shows HTML in a real page: parsed as the body of a served document, set as innerHTML, and set again from the
 * resulting innerHTML. Nothing leaves the browser, because the test responds to every request.
 */
export async function openExaminer(browser: Browser, rules: Rules): Promise<Examiner> {
  const context = await browser.newContext();
  context.setDefaultTimeout(HANGS_MS);
  const reports: Finding[] = [];
  const report = (what: string) => reports.push({ what });
  let body = "";
  await context.route("**/*", response);
  await context.exposeBinding("tell", (_source, what: string) => report(what));
  await context.addInitScript(watch);
  const page = await context.newPage();
  listen(context, page, report);

  async function response(route: Route): Promise<void> {
    const request = route.request();
    const url = request.url();
    if (url === HOME && request.isNavigationRequest() && request.frame() === page.mainFrame()) {
      const headers = {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy-Report-Only": POLICY,
      };
      return route.fulfill({ headers, body });
    }
    // Chromium asks for some addresses that are no URLs for others.
    const [protocol = ""] = /^[a-z][a-z\d+.-]*:/i.exec(url) ?? [];
    const isAllowed = rules.protocols.includes(protocol.toLowerCase());
    if (request.resourceType() !== "image" || !isAllowed)
      report(`request for a ${request.resourceType()}: ${url}`);
    return route.fulfill({ status: 204 });
  }

  async function show(htmls: readonly string[], settleMs = SETTLE_MS): Promise<Finding[]> {
    reports.length = 0;
    body = documentOf(htmls);
    const findings: Finding[] = [];
    try {
      await page.goto(HOME);
      for (const way of WAYS) {
        const seen = await page.evaluate(look, { way, htmls, rules, settleMs });
        for (const { what, ...place } of [...seen, ...reports.splice(0)])
          findings.push({ ...place, what: `${what} (${way})` });
      }
    } catch (error) {
      findings.push({ what: `the page was lost: ${String(error).split("\n")[0]}` }, ...reports);
    }
    return findings;
  }

  return { show, close: () => context.close() };
}

/**
 * Returns what was seen of each HTML fragment. If a page cannot attribute a violation, it is repeated with fewer
 * fragments.
 */
export async function examine(examiner: Examiner, htmls: readonly string[]): Promise<string[][]> {
  const findings = await examiner.show(htmls);
  if (htmls.length > 1 && findings.some(({ index }) => index === undefined)) {
    const half = htmls.length >> 1;
    return [
      ...(await examine(examiner, htmls.slice(0, half))),
      ...(await examine(examiner, htmls.slice(half))),
    ];
  }
  return htmls.map((_, at) => [
    ...new Set(findings.filter(({ index }) => (index ?? at) === at).map(({ what }) => what)),
  ]);
}

const documentOf = (htmls: readonly string[]) =>
  `<!DOCTYPE html><meta charset="utf-8"><title>-</title><body>${htmls
    .map((html) => `<article>${html}</article>`)
    .join("\n")}`;

function listen(context: BrowserContext, page: Page, report: (what: string) => void): void {
  context.on("page", (opened) => {
    if (opened === page) return;
    report("another page was opened");
    opened.close().catch(() => {});
  });
  // The page's console is replaced, so this comes from the browser: a policy report.
  page.on("console", (message) => {
    const isNews = !/^Failed to load resource|The policy is report-only/.test(message.text());
    if (isNews) report(`refused: ${message.text()}`);
  });
  page.on("download", () => report("download"));
  page.on("frameattached", () => report("frame"));
  // A script that failed has nevertheless run.
  page.on("pageerror", (error) => report(`script: ${error.message}`));
}
