import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  originFacts,
  SECURITY_EMAILS,
  securityEmail,
  securitySummary,
} from "#accounts/security-emails.ts";
import { describeApi } from "#api/openapi/openapi.ts";
import { challengeOf, inNameOf, productOf, slugOf } from "#brand.ts";
import { createEmails } from "#email/emails.ts";
import type { Email } from "#email/mail.ts";
import { signedHeaders } from "#events/deliver-webhooks.ts";
import { listAppPages } from "#site/app-pages.ts";
import { renderAppPage } from "#site/app-shell.ts";
import { securityText } from "#site/discovery.ts";
import { FOR_OPERATORS } from "#site/docs/navigation.ts";
import { favicon, siteIcon } from "#site/mark.ts";
import { createPages } from "#site/pages.ts";
import { TOOLS } from "#tools/registry.ts";
import { inProcess, openMemory } from "../http/in-process.ts";
import { openService, SECRETS } from "../http/test-api.ts";
import { askMcp, FULL, pathsOf } from "./pages-server.ts";

/** The customers of a service with a name of its own see nothing of the software that it runs on. */

const NAME = "Acme Tools";
const ACME = { ...FULL, name: NAME, keyPrefix: "acme_", contact: "help@acme.test" };
const SITE = "https://tools.test";
const SENDER = { publicUrl: SITE, name: NAME, contact: ACME.contact };
const pages = createPages(ACME);
const textOf = (path: string) => (pages.find(path) ?? pages.notFound).body;

/** Our name in any case, the start of our keys, and what only operators need. */
const OURS = /toolbooth|\btb_|self-host|runbook/i;

function assertNothingOfOurs(text: string, where: string): void {
  const found = OURS.exec(text);
  assert.equal(found && text.slice(Math.max(0, found.index - 80), found.index + 80), null, where);
}

it("a service may have any name, also with what would be a pattern", () => {
  assert.equal(inNameOf({ name: "Ca$$h $& Co" }, "Sign in to Toolbooth"), "Sign in to Ca$$h $& Co");
});

describe("a service named Acme Tools", () => {
  it("has its own name alone on every page, in every text and in every Markdown", () => {
    const paths = [
      ...pathsOf(pages),
      ...["/nowhere", "/llms.txt", "/robots.txt", "/sitemap.xml", "/manifest.webmanifest"],
      "/docs/search.json",
    ];
    for (const path of paths) assertNothingOfOurs(textOf(path), path);
    for (const path of pathsOf(pages)) {
      assert.match(/<title>([^<]*)/.exec(textOf(path))?.[1] ?? "", /Acme Tools/, path);
      const { headers = {} } = pages.find(path) ?? {};
      assertNothingOfOurs(JSON.stringify(headers), `headers of ${path}`);
      const markdown = path.startsWith("/docs") ? pages.find(`${path}.md`)?.body : undefined;
      assertNothingOfOurs(markdown ?? "", `${path}.md`);
    }
    for (const page of listAppPages(TOOLS)) {
      assertNothingOfOurs(renderAppPage(page, ACME, null), page.path);
    }
    assert.match(textOf("/docs/quickstart.md"), /acme_…/);
    assert.match(textOf("/docs/quickstart.md"), /\$API_KEY/);
  });

  it("shows its customers no page for operators, by whatever address", () => {
    const sources = Object.entries(ACME.docs ?? {});
    const forOperators = sources.filter(([, text]) => text.startsWith(FOR_OPERATORS));
    assert.ok(forOperators.length >= 15);
    for (const [file] of forOperators) {
      const path = `/docs/${file.replace(/\.md$/, "")}`;
      assert.equal(pages.find(path), undefined);
      assert.equal(pages.find(`${path}.md`), undefined);
      assert.ok(createPages(FULL).find(path), "a service without a name of its own has it");
      for (const shown of [...pathsOf(pages), "/docs.md", "/llms.txt", "/docs/search.json"])
        assert.ok(!textOf(shown).includes(path), `${shown} names ${path}`);
    }
    const policy = securityText({ ...ACME, publicUrl: SITE }, "mailto:a@acme.test", 0);
    assert.doesNotMatch(policy, /docs/);
  });

  it("signs its emails, and says in them whose they are", () => {
    const order = { to: "ada@example.org", at: 0 };
    const from = originFacts({ at: 0, address: "192.0.2.7", browser: "Firefox on Linux" });
    const code = { to: order.to, code: "12345678", now: 0, expiresAt: 60_000, origin: from };
    const link = `${SITE}/sign-in/link#a`;
    const unsubscribe = { page: `${SITE}/unsubscribe?a`, post: `${SITE}/unsubscribe?b` };
    const emails = createEmails(SENDER, { payable: false, contact: ACME.contact });
    const event = { ...order, address: null, browser: null, detail: null };
    const kinds = Object.keys(SECURITY_EMAILS) as (keyof typeof SECURITY_EMAILS)[];
    const all: (Email | null)[] = [
      ...(["sign_up_code", "sign_in_code", "known_sign_in_code"] as const).map((kind) =>
        emails.signInCode({ ...code, kind, link }),
      ),
      emails.newAddressCode(code),
      emails.addressInUse(order),
      emails.addressChanged({ ...order, newAddress: "new@example.org", undo: null, origin: from }),
      emails.passwordsRetired(order),
      emails.accountClosed(order),
      emails.creditsLow({ ...order, balance: 1, lowBalance: 2, unsubscribe }),
      emails.creditsUsedUp({ ...order, unsubscribe }),
      emails.creditsExpiring({ ...order, remaining: 1, expiresAt: 1, unsubscribe }),
      ...kinds.flatMap((kind) => [
        securityEmail(SENDER, order.to, { ...event, kind }),
        securitySummary(SENDER, order.to, { ...event, kind }),
      ]),
    ];
    for (const email of all) {
      assertNothingOfOurs(JSON.stringify(email), email?.subject ?? "no email");
      assert.match(
        email?.text ?? "",
        /Acme Tools, https:\/\/tools\.test\nContact: help@acme\.test\n$/,
      );
    }
  });

  it("leaves what its customers wrote as it is", () => {
    const facts = [["Label", "Toolbooth key"]] as const;
    const event = { kind: "key_created", at: 0, detail: "Toolbooth", facts } as const;
    const from = { address: null, browser: null };
    const email = securityEmail(SENDER, "ada@example.org", { ...event, ...from });
    assert.match(email?.text ?? "", /Toolbooth key/);
  });

  it("describes itself to programs and agents by its own name", async () => {
    const description = describeApi(ACME);
    assertNothingOfOurs(JSON.stringify(description), "openapi.json");
    assert.equal(description.info.title, NAME);
    assert.match(JSON.stringify(description), /acme_\[0-9A-Za-z\]\{56\}/);
    for (const method of ["initialize", "tools/list"])
      assertNothingOfOurs(JSON.stringify(await askMcp(ACME, method)), method);
    const headers = signedHeaders({ secrets: [], id: "msg_1", body: "{}", at: 0, name: NAME });
    assert.equal(headers["User-Agent"], "Acme-Tools-Webhooks/1.0");
  });

  it("says its own name and the start of its own keys in errors", async (t) => {
    const open = async (asked: Parameters<typeof openMemory>[0]) =>
      openMemory(asked, {
        settings: {
          ...{ name: NAME, keyPrefix: "acme_", publicUrl: SITE, secrets: SECRETS },
          ...{ rateLimit: 100, freeCallCredits: 1 },
        },
      });
    const service = await openService({ ...inProcess, open }, { rateLimit: 100 });
    t.after(service.close);
    const attempts: [string, Record<string, string>][] = [
      ["/api/v1/hash", {}],
      ["/api/v1/hash", { Authorization: "Bearer acme_1" }],
      ["/api/v1/hash", { Authorization: "Bearer key_1" }],
      ["/api/v1/hash?key=x", {}],
      ["/api/v1/hsah", {}],
      ["/mcp", {}],
    ];
    for (const [path, headers] of attempts) {
      const sent = { method: "POST", headers: { "content-type": "application/json", ...headers } };
      const response = await service.send(path, { ...sent, body: "{}" });
      assertNothingOfOurs(response.text, path);
      const all = [...response.headers];
      assertNothingOfOurs(JSON.stringify(all), `headers of ${path}`);
      if (response.status === 401) {
        assert.match(response.headers.get("www-authenticate") ?? "", /^Bearer realm="Acme Tools"/);
      }
    }
  });

  it("has an icon and no picture of ours, but for that of its logo", () => {
    assert.match(String(siteIcon(ACME).body), /<text [^>]*>A<\/text>/);
    assert.deepEqual(favicon(ACME), siteIcon(ACME));
    const text = '<svg xmlns="http://www.w3.org/2000/svg"/>';
    const look = {
      logo: { type: "image/svg+xml", text },
      accent: null,
      headline: null,
      lead: null,
    } as const;
    assert.equal(siteIcon({ ...ACME, look }).body, text);
    const shown = createPages({ ...ACME, look }).find("/")?.body ?? "";
    assert.match(shown, /<a class="tb-brand" href="\/"><img src="\/icon\.svg" alt="">/);
    assert.doesNotMatch(textOf("/"), /share\.png|touch-icon\.png/);
  });

  it("shows the operator's headline and lead, escaped", () => {
    const look = { logo: null, accent: null, headline: "Words <counted>", lead: "A & B" };
    const front = createPages({ ...ACME, look }).find("/")?.body ?? "";
    assert.ok(front.includes("<h1>Words &lt;counted&gt;</h1>"));
    assert.ok(front.includes('<p class="lead">A &amp; B</p>'));
  });
});

describe("a name", () => {
  it("is written for programs in ASCII", () => {
    assert.deepEqual(["Toolbooth", "Acme Tools", "Café №1", "道具"].map(slugOf), [
      "toolbooth",
      "acme-tools",
      "cafe-no1",
      "api",
    ]);
    assert.equal(productOf("Acme Tools"), "Acme-Tools");
    assert.equal(challengeOf({ name: "Toolbooth" }), 'Bearer realm="toolbooth"');
    assert.equal(challengeOf({ name: 'A "quoted" \\ name' }), 'Bearer realm="A quoted name"');
  });
});
