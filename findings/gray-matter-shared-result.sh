#!/usr/bin/env bash
# gray-matter 4.0.3: two calls with the same text share their data.
# Expected: each call returns a new object. Seen on 2026-11-28: without options, results are cached by the text, and a
# change of the first result's data and content appears in the second. With an options object, even an empty one, it does not.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts gray-matter@4.0.3
cat > seen.mjs <<'JS'
import matter from "gray-matter";
const text = "---\ntitle: one\n---\nbody\n";
const first = matter(text);
first.data.seenBy = "first";
first.content = "changed";
const second = matter(text);
const withOptions = matter(text, {});
console.log(JSON.stringify([second.data, second.content, withOptions.data, withOptions.content]));
JS
seen=$(node seen.mjs)
echo "gray-matter 4.0.3: $seen"
[ "$seen" = '[{"title":"one","seenBy":"first"},"changed",{"title":"one"},"body\n"]' ]
