#!/usr/bin/env bash
# marked 18.2.1 with marked-terminal 7.3.1, which shows the answers of many command-line tools: five short Markdown texts without colours.
# Expected: the text that a browser shows. Seen on 2026-11-29: entities are decoded a second time, so `&amp;lt;` and `&lt;` in code, which show `&lt;`, become `<`; in a
# list item `**bold**` and code keep their marks; a list that starts at 3 is counted from 1; the box of a task is shown twice.
# In paragraphs bold text and code are right.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts marked@18.2.1 marked-terminal@7.3.1
cat > seen.mjs <<'JS'
import { stripVTControlCharacters } from "node:util";
import { marked } from "marked";
import { markedTerminal } from "marked-terminal";
marked.use(markedTerminal());
for (const text of ["Write &amp;lt; here", "Write `&lt;` here", "Say **yes** and `no`", "- Say **yes** and `no`", "3. three\n4. four", "- [ ] to do"]) {
  console.log(`${JSON.stringify(text)}: ${stripVTControlCharacters(marked.parse(text)).trim().replace(/\s*\n\s*/g, " / ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = '"Write &amp;lt; here": Write < here
"Write `&lt;` here": Write < here
"Say **yes** and `no`": Say yes and no
"- Say **yes** and `no`": * Say **yes** and `no`
"3. three\n4. four": 1. three / 2. four
"- [ ] to do": * [ ]  [ ] to do' ]
