#!/usr/bin/env bash
# Node 24.21.0: `require()` of a file of another kind, with hooks of `registerHooks` that give it a format and its text.
# Expected: the `format` that the hook `load` returns decides how the text is read, as for `import`. Seen on 2026-11-29: it is ignored.
# With `format: "json"` from `load` alone the text is read as JavaScript, and `{"a": 1}` is a SyntaxError; with "json" from `resolve` it is
# read as JSON, even if `load` says "commonjs".
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts "node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')@24.21.0"
node="$(find "$PWD/node_modules" -path '*/bin/node' -type f)"
echo '{"a": 1}' > data.yaml
cat > main.cjs <<'JS'
const { registerHooks } = require("node:module");
const isOurs = (url) => url.endsWith("/data.yaml");
for (const [resolved, loaded] of [[undefined, "json"], ["json", "commonjs"], ["json", "json"]]) {
  const hooks = registerHooks({
    resolve(name, context, next) {
      const found = next(name, context);
      return isOurs(found.url) && resolved !== undefined ? { ...found, format: resolved } : found;
    },
    load: (url, context, next) =>
      isOurs(url) ? { format: loaded, source: '{"a": 1}', shortCircuit: true } : next(url, context),
  });
  delete require.cache[require.resolve("./data.yaml")];
  let read;
  try {
    read = JSON.stringify(require("./data.yaml"));
  } catch (error) {
    read = error.name;
  }
  console.log(`resolve ${resolved}, load ${loaded}: ${read}`);
  hooks.deregister();
}
JS
seen=$("$node" main.cjs)
echo "$seen"
[ "$seen" = 'resolve undefined, load json: SyntaxError
resolve json, load commonjs: {"a":1}
resolve json, load json: {"a":1}' ]
