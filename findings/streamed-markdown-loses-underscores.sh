#!/usr/bin/env bash
# streaming-markdown 0.2.15 shows Markdown while it arrives, as answers of models do. Six short texts, character by character; the text that is shown, compared with commonmark 0.31.2.
# Expected: the same text once all has arrived.
# Seen on 2026-11-30: an underscore within a word begins an emphasis, so `rate_limit` is shown as "ratelimit" and `snake_case_name` as "snakecasename". A list of `1)` is a paragraph, `~~~` begins
# no code, a title of a link is part of its address, and two backticks end a code that one began.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts streaming-markdown@0.2.15 commonmark@0.31.2
cat > seen.mjs <<'JS'
import { HtmlRenderer, Parser } from "commonmark";
import * as smd from "streaming-markdown";
const show = (text) => {
  let shown = "";
  const open = [];
  const parser = smd.parser({
    data: null,
    add_token: (_data, token) => {
      open.push(smd.token_to_string(token));
      shown += `<${open.at(-1)}>`;
    },
    end_token: () => { shown += `</${open.pop()}>`; },
    add_text: (_data, part) => { shown += part; },
    set_attr: (_data, _name, value) => { shown += `{${value}}`; },
  });
  for (const character of text) smd.parser_write(parser, character);
  smd.parser_end(parser);
  return shown;
};
for (const text of ["rate_limit", "snake_case_name", "1) a\n2) b", "~~~\nx\n~~~", '[a](b "t")', "`a`` b`"])
  console.log(`${JSON.stringify(text)}: ${JSON.stringify(show(text))}, commonmark ${JSON.stringify(new HtmlRenderer().render(new Parser().parse(text)).replaceAll("\n", ""))}`);
JS
seen=$(node seen.mjs 2>/dev/null)
echo "$seen"
[ "$seen" = "$(cat <<'SEEN'
"rate_limit": "<Paragraph>rate<Italic_Und>limit", commonmark "<p>rate_limit</p>"
"snake_case_name": "<Paragraph>snake<Italic_Und>case</Italic_Und>name", commonmark "<p>snake_case_name</p>"
"1) a\n2) b": "<Paragraph>1) a<Line_Break></Line_Break>2) b", commonmark "<ol><li>a</li><li>b</li></ol>"
"~~~\nx\n~~~": "<Paragraph><Strike>~<Line_Break></Line_Break>x<Line_Break></Line_Break></Strike>~", commonmark "<pre><code>x</code></pre>"
"[a](b \"t\")": "<Paragraph><Link>a{b \"t\"}</Link>", commonmark "<p><a href=\"b\" title=\"t\">a</a></p>"
"`a`` b`": "<Paragraph><Code_Inline>a</Code_Inline><Code_Inline>b</Code_Inline>", commonmark "<p><code>a`` b</code></p>"
SEEN
)" ]
