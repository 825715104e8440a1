#!/usr/bin/env bash
# Front matter `time: 12:30` and `id: 010`, read by three libraries.
# Expected: a text or a time, and 10. Seen on 2026-11-28: gray-matter 4.0.3 and front-matter 4.0.2 use a reader of YAML 1.1,
# where 12:30 is the number 750 (base 60) and 010 is 8; dates become Date objects. vfile-matter 5.0.1 reads YAML 1.2 and keeps
# the time and the date as text, and 010 as 10. So the same document has other values by the library that reads it.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts gray-matter@4.0.3 front-matter@4.0.2 vfile-matter@5.0.1 vfile@6.0.3
cat > seen.mjs <<'JS'
import frontMatter from "front-matter";
import grayMatter from "gray-matter";
import { VFile } from "vfile";
import { matter } from "vfile-matter";
const text = "---\ntime: 12:30\nid: 010\ndate: 2026-11-28\n---\nbody\n";
const file = new VFile(text);
matter(file);
const kinds = (data) => [data.time, data.id, data.date instanceof Date ? "Date" : data.date];
console.log(JSON.stringify([kinds(grayMatter(text).data), kinds(frontMatter(text).attributes), kinds(file.data.matter)]));
JS
seen=$(node seen.mjs)
echo "gray-matter 4.0.3, front-matter 4.0.2, vfile-matter 5.0.1: $seen"
[ "$seen" = '[[750,8,"Date"],[750,8,"Date"],["12:30",10,"2026-11-28"]]' ]
