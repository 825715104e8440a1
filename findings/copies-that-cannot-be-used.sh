#!/usr/bin/env bash
# Settings are copied with ten libraries for deep copies: a URL, Headers, an Error with a cause and a code, an object of a class with a private field. What does the copy say?
# Expected: the same as the original, be it a copy or, for what cannot be copied, the object itself; or an error, as structuredClone has it for URL and Headers.
# Seen on 2026-11-29: rfdc 1.4.1 makes plain objects of all four, empty but for the code. fast-copy 4.3.4 and clone 2.1.2 make objects of the right class that throw at the first use, for a URL clone at once. The
# private field is lost in the copies of klona 2.0.6 (`klona/full`), lodash 4.18.1, es-toolkit 1.53.2 and ramda 0.32.0 as well: they throw when it is read. just-clone 6.2.0, structuredClone and remeda 2.62.2,
# which uses that, leave it out, and the last two lose the code of an error. `klona` alone and radash 12.1.1 keep all, as they hand on what is no plain object.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts rfdc@1.4.1 fast-copy@4.3.4 clone@2.1.2 klona@2.0.6 lodash@4.18.1 es-toolkit@1.53.2 ramda@0.32.0 just-clone@6.2.0 remeda@2.62.2 radash@12.1.1
cat > seen.mjs <<'JS'
import clone from "clone";
import { cloneDeep } from "es-toolkit";
import { copy } from "fast-copy";
import justClone from "just-clone";
import { klona } from "klona";
import { klona as klonaFull } from "klona/full";
import lodash from "lodash";
import { clone as radash } from "radash";
import * as ramda from "ramda";
import * as remeda from "remeda";
import rfdc from "rfdc";
class Price {
  #cents = 5;
  get cents() {
    return this.#cents;
  }
}
const values = {
  URL: [new URL("https://example.com/"), (url) => url.href],
  Headers: [new Headers({ plan: "gold" }), (headers) => headers.get("plan")],
  Error: [Object.assign(new Error("refused", { cause: "no credits" }), { code: "E_CREDITS" }), (error) => `${error instanceof Error} ${error.cause} ${error.code}`],
  private: [new Price(), (price) => price.cents],
};
const libraries = { rfdc: rfdc(), "fast-copy": copy, clone, "klona/full": klonaFull, lodash: lodash.cloneDeep, "es-toolkit": cloneDeep, ramda: ramda.clone, "just-clone": justClone, structuredClone };
Object.assign(libraries, { remeda: remeda.clone, klona, radash });
for (const [name, copied] of Object.entries(libraries)) {
  const seen = [];
  for (const [kind, [value, read]] of Object.entries(values)) {
    const right = String(read(value));
    let result;
    try {
      const { held } = copied({ held: value });
      result = "throws when used";
      const said = String(read(held));
      result = said === right ? "right" : said;
    } catch {
      result ??= "an error";
    }
    if (result !== "right") seen.push(`${kind} ${result}`);
  }
  console.log(`${name}: ${seen.join(", ") || "all right"}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'rfdc: URL undefined, Headers throws when used, Error false undefined E_CREDITS, private undefined
fast-copy: URL throws when used, Headers throws when used, private throws when used
clone: URL an error, Headers throws when used, private throws when used
klona/full: private throws when used
lodash: private throws when used
es-toolkit: private throws when used
ramda: private throws when used
just-clone: private undefined
structuredClone: URL an error, Headers an error, Error true no credits undefined, private undefined
remeda: URL an error, Headers an error, Error true no credits undefined, private undefined
klona: all right
radash: all right' ]
