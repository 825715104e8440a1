#!/usr/bin/env bash
# hono 4.13.19: `hc` calls `/documents/:name` with names that people give: `C#`, `What now?`, `and/or`, `R & D`.
# Expected: the server's `c.req.param("name")` is the name, since the client knows that it fills one segment of a path.
# Seen on 2026-11-29: the value is put into the URL as it is. `#` and `?` end the path, so another document is asked for, with 200 if there is
# one; a slash makes a path that no route has. Spaces are encoded, by the URL class alone. Callers must use encodeURIComponent,
# which the server then undoes.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts hono@4.13.19
cat > seen.mjs <<'JS'
import { Hono } from "hono";
import { hc } from "hono/client";
const app = new Hono().get("/documents/:name", (c) => c.text(c.req.param("name")));
const client = hc("http://api.test", { fetch: (url, init) => app.request(url, init) });
const ask = async (name) => {
  const response = await client.documents[":name"].$get({ param: { name } });
  return response.ok ? await response.text() : String(response.status);
};
for (const name of ["C#", "What now?", "and/or", "R & D"]) {
  console.log(`${name}: ${await ask(name)}; encoded: ${await ask(encodeURIComponent(name))}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'C#: C; encoded: C#
What now?: What now; encoded: What now?
and/or: 404; encoded: and/or
R & D: R & D; encoded: R & D' ]
