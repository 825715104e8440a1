#!/usr/bin/env bash
# What a handler makes with `Request` and `Response`, in Node 24, Bun 1.4.5, Deno 2.9.6 and workerd 1.20261117.1: a redirect to a path, a 204 with a text, the type of a text and of JSON, no value as JSON, a GET with a body, an address with a
# name and password, `patch` in small letters, the headers of a redirect, the name of a file without one, the cause and the code of an error that is copied.
# Expected: the same in all four, as the standards of fetch and of structured clones have it.
# Seen on 2026-11-29: Bun takes the redirect to a path, the 204 and the GET with a body, for which the others throw, has no Content-Type for a text, and loses the cause of the error; so tests that pass in Bun fail elsewhere, and the other way
# round. workerd takes a 204 with an empty text and undefined as JSON, and keeps the code of the error. Node alone refuses an address with a password. `patch` becomes PATCH in Bun and workerd alone, where the standard leaves it as it is.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts @oven/bun-linux-x64@1.4.5 @deno/linux-x64-glibc@2.9.6 @cloudflare/workerd-linux-64@1.20261117.1
cat > seen.mjs <<'JS'
const cases = {
  "redirect to a path": () => Response.redirect("/new").headers.get("location"),
  "204 with a text": () => new Response("gone", { status: 204 }).status,
  "204 with an empty text": () => new Response("", { status: 204 }).status,
  "type of a text": () => new Response("text").headers.get("content-type"),
  "type of JSON": () => Response.json({}).headers.get("content-type"),
  "undefined as JSON": () => Response.json(undefined).status,
  "GET with a body": () => new Request("https://example.com/", { body: "text" }).method,
  "address with a password": () => new Request("https://me:secret@example.com/").url,
  "patch": () => new Request("https://example.com/", { method: "patch" }).method,
  "header of a redirect": () => Response.redirect("https://example.com/").headers.set("plan", "gold"),
  "name of a file": () => {
    const form = new FormData();
    form.append("file", new Blob(["text"]));
    return form.get("file").name;
  },
  "copied error": () => {
    const { name, cause, code } = structuredClone(Object.assign(new TypeError("refused", { cause: "credits" }), { code: "E_CREDITS" }));
    return `${name} ${cause} ${code}`;
  },
};
export const seen = (runtime) => {
  const results = Object.entries(cases).map(([name, run]) => {
    try {
      return `${name} ${run()}`;
    } catch (error) {
      return `${name} ${error.name}`;
    }
  });
  return `${runtime}: ${results.join(", ")}`;
};
JS
cat > main.mjs <<'JS'
import { seen } from "./seen.mjs";
console.log(seen(globalThis.Bun ? "Bun" : globalThis.Deno ? "Deno" : "Node"));
JS
cat > worker.mjs <<'JS'
import { seen } from "seen.mjs";
export default { test: () => console.log(seen("workerd")) };
JS
cat > workerd.capnp <<'CONFIG'
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = (compatibilityDate = "2026-11-01",
  modules = [(name = "worker.mjs", esModule = embed "worker.mjs"), (name = "seen.mjs", esModule = embed "seen.mjs")]))]);
CONFIG
cat > seen.sh <<'JS'
node main.mjs 2> warnings
node_modules/@oven/bun-linux-x64/bin/bun main.mjs
node_modules/@deno/linux-x64-glibc/deno run main.mjs
node_modules/@cloudflare/workerd-linux-64/bin/workerd test workerd.capnp 2>&1 | grep -o "workerd: .*"
JS
seen=$(bash seen.sh)
echo "$seen"
[ "$seen" = 'Node: redirect to a path TypeError, 204 with a text TypeError, 204 with an empty text TypeError, type of a text text/plain;charset=UTF-8, type of JSON application/json, undefined as JSON TypeError, GET with a body TypeError, address with a password TypeError, patch patch, header of a redirect TypeError, name of a file blob, copied error TypeError credits undefined
Bun: redirect to a path /new, 204 with a text 204, 204 with an empty text 204, type of a text null, type of JSON application/json;charset=utf-8, undefined as JSON TypeError, GET with a body GET, address with a password https://me:secret@example.com/, patch PATCH, header of a redirect undefined, name of a file undefined, copied error TypeError undefined undefined
Deno: redirect to a path TypeError, 204 with a text TypeError, 204 with an empty text TypeError, type of a text text/plain;charset=UTF-8, type of JSON application/json, undefined as JSON TypeError, GET with a body TypeError, address with a password https://me:secret@example.com/, patch patch, header of a redirect TypeError, name of a file blob, copied error TypeError credits undefined
workerd: redirect to a path TypeError, 204 with a text TypeError, 204 with an empty text 204, type of a text text/plain;charset=UTF-8, type of JSON application/json, undefined as JSON 200, GET with a body TypeError, address with a password https://me:secret@example.com/, patch PATCH, header of a redirect TypeError, name of a file file, copied error TypeError credits E_CREDITS' ]
