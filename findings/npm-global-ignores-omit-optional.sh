#!/usr/bin/env bash
# npm 11.19.1: `npm install --omit=optional` of a package with an optional dependency, in a project and with `--global`.
# Expected: the optional dependency is left out both times. Seen on 2026-11-29: with `--global` it is installed all the same, without a warning: npm
# leaves out only what belongs to a project's root or a workspace, and each global package is a root of its own. So a command-line tool whose
# large parts are optional cannot be installed small.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts npm@11.19.1
npm="$PWD/node_modules/.bin/npm"
mkdir tool project
echo '{ "name": "a-tool", "version": "1.0.0", "optionalDependencies": { "is-odd": "3.0.1" } }' > tool/package.json
echo '{}' > project/package.json
(cd tool && "$npm" pack --silent > /dev/null)
options=(--silent --no-audit --no-fund --ignore-scripts --omit=optional "$PWD/tool/a-tool-1.0.0.tgz")
(cd project && "$npm" install "${options[@]}")
"$npm" install --global --prefix "$PWD/global" "${options[@]}"
count() { find "$1" -type d -name is-odd | wc -l | tr -d ' '; }
seen="in a project: $(count project), global: $(count global)"
echo "$seen"
[ "$seen" = 'in a project: 0, global: 1' ]
