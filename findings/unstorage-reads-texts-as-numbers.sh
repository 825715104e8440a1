#!/usr/bin/env bash
# Texts that look like values of JSON, such as an amount "1.10" or a user's input "null", are kept in five key-value stores and read back.
# Expected: the same texts.
# Seen on 2026-11-29: unstorage 1.17.6 reads "1.10" as 1.1, "1e5" as 100000, "null" as if there were none, and a JSON text as an object, with its memory driver too, because it writes texts
# as they are and parses what it reads. `getItemRaw` returns the text. keyv 6.1.0, cache-manager 7.2.9, node-persist 4.0.4 and conf 16.0.0 return the texts.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts unstorage@1.17.6 keyv@6.1.0 cache-manager@7.2.9 node-persist@4.0.4 conf@16.0.0
cat > seen.mjs <<'JS'
import { createCache } from "cache-manager";
import Conf from "conf";
import Keyv from "keyv";
import nodePersist from "node-persist";
import { createStorage } from "unstorage";
await nodePersist.init({ dir: "node-persist" });
const stores = {
  unstorage: [createStorage(), "setItem", "getItem"],
  keyv: [new Keyv(), "set", "get"],
  "cache-manager": [createCache(), "set", "get"],
  "node-persist": [nodePersist, "setItem", "getItem"],
  conf: [new Conf({ cwd: "conf" }), "set", "get"],
};
for (const [name, [store, set, get]] of Object.entries(stores)) {
  const changed = [];
  for (const text of ["1.10", "1e5", "null", "true", JSON.stringify({ a: 1 }), "007"]) {
    await store[set]("key", text);
    const read = await store[get]("key");
    if (read !== text) changed.push(`${text} is read as ${typeof read} ${JSON.stringify(read)}`);
  }
  console.log(`${name}: ${changed.join(", ") || "the same texts"}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'unstorage: 1.10 is read as number 1.1, 1e5 is read as number 100000, null is read as object null, true is read as boolean true, {"a":1} is read as object {"a":1}
keyv: the same texts
cache-manager: the same texts
node-persist: the same texts
conf: the same texts' ]
