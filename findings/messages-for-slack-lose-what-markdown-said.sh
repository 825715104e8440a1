#!/usr/bin/env bash
# An answer in Markdown is sent to Slack, whose messages have a format of their own. Three converters; ten short texts.
# Expected: the words and numbers of the text, whatever becomes of the form: Slack has no tables, so a table may be text or code.
# Seen on 2026-11-30: md-to-slack 1.1.7 sends nothing at all for a table and for a picture, joins nested items and lines that a hard break divides (`a- b`, `oneten`), and escapes an entity again. @tryfabric/mack
# 1.2.1 drops everything that was escaped, `1\. due` is "1 due" and `\*5\*` is "5", drops nested items and joins the two lines; its numbered list begins at 1 whatever it began with. slackify-markdown 5.0.0 writes
# a hard break as a backslash, and `\*5\*` becomes bold with the first and with it. `5 * 3` is right in all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts slackify-markdown@5.0.0 md-to-slack@1.1.7 @tryfabric/mack@1.2.1
cat > seen.mjs <<'JS'
import mack from "@tryfabric/mack";
import * as mdToSlack from "md-to-slack";
import { slackifyMarkdown } from "slackify-markdown";
const blocks = async (text) => (await mack.markdownToBlocks(text)).map((block) => block.text?.text ?? block.alt_text).join(" / ");
const converters = { "slackify-markdown": slackifyMarkdown, "md-to-slack": mdToSlack.markdownToSlack, "@tryfabric/mack": blocks };
const texts = ["5 * 3 is 15", "1\\. due", "\\*5\\* of 10", "one  \nten", "- a\n  - b", "4. four", "| price |\n|---|\n| 5 |", "![code](https://example.com/1.png)", "`a < b`", "a &lt; b"];
for (const [name, convert] of Object.entries(converters)) {
  const seen = [];
  for (const text of texts) seen.push(JSON.stringify((await convert(text)).replaceAll("\u200b", "").trim()));
  console.log(`${name}: ${seen.join(", ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'slackify-markdown: "5 * 3 is 15", "1. due", "*5* of 10", "one\\\nten", "•   a\n    •   b", "4.  four", "| price |\n| ----- |\n| 5     |", "<https://example.com/1.png|code>", "`a < b`", "a &lt; b"
md-to-slack: "5 * 3 is 15", "1. due", "*5* of 10", "oneten", "- a- b", "4. four", "", "", "`a < b`", "a &amp;lt; b"
@tryfabric/mack: "5 * 3 is 15", "1 due", "5 of 10", "oneten", "• a", "1. four", "```\n| price |\n| --- |\n| 5 |\n```", "code", "`a &lt; b`", "a &lt; b"' ]
