#!/usr/bin/env bash
# micromark 4.0.3 and commonmark 0.31.2: emphasis whose delimiter run is used in two parts, `a **b* c*d`.
# Expected: both give the same HTML, since both follow CommonMark 0.31.2. Section 6.2, rules 9 and 10, adds up the lengths of the
# whole runs that contain the delimiters, also where a part of a run is used already.
# Seen on 2026-11-28: commonmark keeps the first asterisk as text; micromark adds up what is left of the run, and nests emphasis.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts micromark@4.0.3 commonmark@0.31.2
cat > compare.mjs <<'JS'
import { HtmlRenderer, Parser } from "commonmark";
import { micromark } from "micromark";
const text = "a **b* c*d";
const reference = new HtmlRenderer().render(new Parser().parse(text)).trim();
const other = micromark(text);
console.log(`commonmark 0.31.2: ${reference}\nmicromark 4.0.3: ${other}`);
const isSeen =
  reference === "<p>a *<em>b</em> c*d</p>" && other === "<p>a <em><em>b</em> c</em>d</p>";
process.exitCode = isSeen ? 0 : 1;
JS
node compare.mjs
