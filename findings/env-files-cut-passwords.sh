#!/usr/bin/env bash
# Lines of a .env file with ordinary passwords, read by dotenv 18.0.10, by `util.parseEnv` of Node 24.21.0 (as for --env-file) and by @next/env 16.4.6.
# Expected: a comment needs a space before its `#`, as in a shell, nothing is expanded between single quotes, and a backslash in double quotes escapes a quote.
# Seen on 2026-11-29: all three cut `ab#cd` to `ab`. @next/env expands also between single quotes, so `pa$word` is `pa`, and makes `pa$` of `pa$$word`. Node ends a value in double
# quotes at the escaped quote, with the backslash in it, and dotenv and @next/env keep both backslashes; `KEY: value` is a line to the others and nothing to Node.
# No one of them says a word.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts dotenv@18.0.10 @next/env@16.4.6 \
  "node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@24.21.0"
node="$(find "$PWD/node_modules" -path '*/bin/node' -type f)"
cat > .env <<'ENV'
HASH=ab#cd
QUOTED="ab#cd"
DOLLAR=pa$word
SINGLE='pa$word'
TWICE=pa$$word
ESCAPED="say \"hi\""
COLON: value
ENV
cat > seen.mjs <<'JS'
import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import next from "@next/env";
import { parse } from "dotenv";
const text = readFileSync(".env", "utf8");
const { parsedEnv } = next.loadEnvConfig(process.cwd(), true, { info() {}, error() {} });
for (const name of text.match(/^[A-Z]+/gm)) console.log(`${name}: dotenv ${parse(text)[name]}, node ${parseEnv(text)[name]}, next ${parsedEnv[name]}`);
JS
seen=$("$node" seen.mjs)
echo "$seen"
[ "$seen" = 'HASH: dotenv ab, node ab, next ab
QUOTED: dotenv ab#cd, node ab#cd, next ab#cd
DOLLAR: dotenv pa$word, node pa$word, next pa
SINGLE: dotenv pa$word, node pa$word, next pa
TWICE: dotenv pa$$word, node pa$$word, next pa$
ESCAPED: dotenv say \"hi\", node say \, next say \"hi\"
COLON: dotenv value, node undefined, next value' ]
