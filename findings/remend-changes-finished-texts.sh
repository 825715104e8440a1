#!/usr/bin/env bash
# remend 1.4.0, which closes what is open in Markdown that still arrives: three texts that have arrived whole.
# Expected: the text of `2**3 is 8` and of `list[0` stays, since CommonMark reads no emphasis and no link in them, and a heading
# underlined with `--` stays a heading.
# Seen on 2026-11-28: `**` is added, so that the power becomes bold; `list[0` becomes a link to `streamdown:incomplete-link`; the underline
# gets a zero-width space and becomes text. So whoever shows an answer has to leave remend out once it is complete.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts remend@1.4.0 commonmark@0.31.2
cat > seen.mjs <<'JS'
import { HtmlRenderer, Parser } from "commonmark";
import remend from "remend";
const html = (text) => new HtmlRenderer().render(new Parser().parse(text)).trim();
for (const text of ["2**3 is 8", "list[0", "Title\n--"]) console.log(`${html(text)} | ${html(remend(text)).replace("\u200b", "ZWSP").replace("\n", " ")}`);
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = '<p>2**3 is 8</p> | <p>2<strong>3 is 8</strong></p>
<p>list[0</p> | <p>list<a href="streamdown:incomplete-link">0</a></p>
<h2>Title</h2> | <p>Title --ZWSP</p>' ]
