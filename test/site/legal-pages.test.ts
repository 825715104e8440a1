import assert from "node:assert/strict";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { openLegalFiles } from "#apps/node/legal-files.ts";
import { listAppPages } from "#site/app-pages.ts";
import { renderAppPage } from "#site/app-shell.ts";
import { LEGAL_BYTES_MAX } from "#site/legal-sources.ts";
import { createPages } from "#site/pages.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { EARLY, FULL, pageAt } from "./pages-server.ts";

const LEGAL = {
  terms:
    "# Terms of use\n\nBe kind. <script>alert(1)</script> [Mail](javascript:alert(1))\n\n## Money\n\nText.",
  privacy: "No heading here.",
  status: "https://status.example.org/",
};
const pages = createPages({ ...FULL, legal: LEGAL });

test("an operator's page has the frame of the site, its own title, and no markup that could run", () => {
  const page = pageAt(pages, "/terms") ?? "";
  assert.match(page, /<title>Terms of use - Toolbooth<\/title>/);
  assert.equal(page.match(/<h1>/g)?.length, 1);
  assert.match(page, /<h2 id="money">/);
  const withoutOwnScript = page.replace(`<script>${EARLY}</script>`, "");
  assert.doesNotMatch(withoutOwnScript, /<script>|alert\(1\)<|javascript:/);
  assert.match(pageAt(pages, "/privacy") ?? "", /<h1>Privacy<\/h1>[\s\S]*No heading here/);
  for (const path of ["/imprint", "/status", "/refunds", "/constructor"])
    assert.equal(pages.find(path), undefined, path);
});

test("the footer and the sitemap name what there is, and nothing else", () => {
  for (const page of ["/", "/pricing"].map((path) => pageAt(pages, path) ?? "")) {
    assert.match(page, /<a href="\/terms">Terms<\/a><\/li>\s*<li><a href="\/privacy">Privacy<\/a>/);
    assert.match(page, /<a href="https:\/\/status\.example\.org\/">Status<\/a>/);
    assert.doesNotMatch(page, /Imprint/);
  }
  assert.ok(pageAt(pages, "/sitemap.xml")?.includes("https://tools.test/terms"));
  assert.doesNotMatch(pageAt(createPages(FULL), "/") ?? "", /\/terms/);
});

test("pages that React draws know what there is, to say what a user agrees to", () => {
  const [page] = listAppPages(FULL.tools);
  assert.ok(page);
  const head = (legal?: typeof LEGAL) => renderAppPage(page, { ...FULL, legal }, null);
  assert.ok(
    head(LEGAL).includes(
      "&quot;legal&quot;:[&quot;terms&quot;,&quot;privacy&quot;,&quot;status&quot;]",
    ),
  );
  assert.ok(head().includes("&quot;legal&quot;:[]"));
});

function openFolder(t: TestContext) {
  const dataDir = temporaryFolder(t);
  mkdirSync(path.join(dataDir, "pages"));
  const warnings: string[] = [];
  const clock = { now: 0 };
  const read = openLegalFiles(
    dataDir,
    (text) => warnings.push(text),
    () => clock.now,
  );
  return {
    warnings,
    folder: path.join(dataDir, "pages"),
    write: (name: string, content: string | Uint8Array) =>
      writeFileSync(path.join(dataDir, "pages", name), content),
    remove: (name: string) => rmSync(path.join(dataDir, "pages", name)),
    look() {
      clock.now += 60_000;
      return read();
    },
    lookAgainAtOnce: read,
  };
}

test("the files are read again when they changed, without a restart", (t) => {
  const { write, remove, look, lookAgainAtOnce, warnings } = openFolder(t);
  const none = look();
  assert.deepEqual(none, {});
  assert.equal(look(), none, "the same object while nothing changed");
  write("terms.md", "\ufeff# One\n");
  assert.equal(lookAgainAtOnce(), none, "files are not looked at for every visit");
  assert.deepEqual(look(), { terms: "# One" });
  write("terms.md", "# Two, which is longer\n");
  write("notes.md", "not published");
  write("imprint.md", "  \n");
  assert.deepEqual(look(), { terms: "# Two, which is longer" });
  remove("terms.md");
  assert.deepEqual(look(), {});
  assert.deepEqual(warnings, []);
});

test("a file that cannot be published is left out, and the log says why, once", (t) => {
  const { write, look, warnings } = openFolder(t);
  write("terms.md", new Uint8Array([0x23, 0x20, 0xff, 0xfe]));
  write("privacy.md", "a".repeat(LEGAL_BYTES_MAX + 1));
  write("status.md", "javascript:alert(1)");
  write("imprint.md", "# Us");
  for (let visit = 0; visit < 3; visit += 1) assert.deepEqual(look(), { imprint: "# Us" });
  assert.equal(warnings.length, 3);
  assert.match(warnings[0] ?? "", /terms\.md is not published: it is not UTF-8 text\.$/);
  assert.match(warnings[1] ?? "", /privacy\.md is not published: it has 262145 bytes, and at most/);
  assert.match(warnings[2] ?? "", /status\.md is not published: it must hold one line/);
});

test("a folder that cannot be read is a warning, once, and no page fails for it", (t) => {
  const { folder, look, warnings } = openFolder(t);
  const put: [problem: string, put: () => void][] = [
    ["it is not a folder", () => writeFileSync(folder, "a file")],
    ["ELOOP", () => symlinkSync(folder, folder)],
  ];
  for (const [problem, act] of put) {
    rmSync(folder, { recursive: true });
    act();
    for (let visit = 0; visit < 3; visit += 1) assert.deepEqual(look(), {});
    assert.deepEqual(warnings.splice(0), [`The pages in ${folder} are not published: ${problem}.`]);
  }
  rmSync(folder);
  mkdirSync(folder);
  mkdirSync(path.join(folder, "terms.md"));
  symlinkSync("privacy.md", path.join(folder, "privacy.md"));
  writeFileSync(path.join(folder, "imprint.md"), "# Us");
  for (let visit = 0; visit < 3; visit += 1) assert.deepEqual(look(), { imprint: "# Us" });
  assert.deepEqual(
    warnings.splice(0).map((text) => text.split(": ")[1]),
    ["it is not a file.", "ELOOP."],
  );
});

test("a folder that this user may not look into is a warning", (t) => {
  const { folder, look, warnings } = openFolder(t);
  writeFileSync(path.join(folder, "terms.md"), "# Terms");
  chmodSync(folder, 0o000);
  const isRoot = process.geteuid?.() === 0;
  // Root may read everything.
  if (isRoot) process.seteuid?.(65_534);
  try {
    assert.deepEqual(look(), {});
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(folder, 0o700);
  }
  assert.deepEqual(warnings, [`The pages in ${folder} are not published: EACCES.`]);
  assert.deepEqual(look(), { terms: "# Terms" }, "without a restart");
});

test("Markdown of the largest size, however hostile, is rendered within a bound", () => {
  for (const text of [
    "[".repeat(LEGAL_BYTES_MAX),
    "> ".repeat(LEGAL_BYTES_MAX / 2),
    "*a ".repeat(80_000),
  ]) {
    const made = createPages({ ...FULL, docs: undefined, legal: { terms: text } });
    assert.ok((pageAt(made, "/terms") ?? "").length > 1_000);
  }
});
