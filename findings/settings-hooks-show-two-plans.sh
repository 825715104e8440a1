#!/usr/bin/env bash
# Two components of a page keep a setting in localStorage with the hook of a library, under one key. One sets it; then another tab sets it; then the page is loaded where another program has stored the text
# `bronze`, without quotes. React 19.3.1, jsdom 31.0.1, nine hooks.
# Expected: both components show the new value each time, and the text that is no JSON is shown as text or as the default.
# Seen on 2026-11-29: with react-use 17.6.1 and ahooks 3.11.0 the other component goes on showing the old value, and no tab hears of another (ahooks has `listenStorageChange`). @uidotdev/usehooks 2.4.1
# and foxact 0.3.12 throw while rendering for the text, so the page stays empty for this person until the storage is cleared. @mantine/hooks 9.8.1 and rooks 9.9.0 show the text and write it back with quotes, which
# the other program does not expect. usehooks-ts 3.1.1, @react-hookz/web 26.1.0 and use-local-storage-state 20.0.0 are as expected.
set -euo pipefail
cd "$(mktemp -d)"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps react@19.3.1 react-dom@19.3.1 jsdom@31.0.1 react-use@17.6.1 ahooks@3.11.0 @uidotdev/usehooks@2.4.1 foxact@0.3.12 \
  @mantine/hooks@9.8.1 rooks@9.9.0 usehooks-ts@3.1.1 @react-hookz/web@26.1.0 use-local-storage-state@20.0.0
cat > seen.mjs <<'JS'
import { JSDOM } from "jsdom";
const { window } = new JSDOM("", { url: "https://app.example/", pretendToBeVisual: true });
const names = ["document", "navigator", "localStorage", "sessionStorage", "StorageEvent", "CustomEvent", "Event", "HTMLElement", "Node", "Element"];
for (const name of names) Object.defineProperty(globalThis, name, { value: window[name], configurable: true });
for (const name of ["addEventListener", "removeEventListener", "dispatchEvent"]) globalThis[name] = window[name].bind(window);
Object.assign(globalThis, { window, IS_REACT_ACT_ENVIRONMENT: true });
for (const name of ["error", "warn"]) console[name] = () => {};
const { default: React } = await import("react");
const { createRoot } = await import("react-dom/client");
const from = async (module, name) => {
  const loaded = await import(module);
  return loaded[name] ?? loaded.default[name] ?? loaded.default;
};
const ahooks = await from("ahooks", "useLocalStorageState");
const mantine = await from("@mantine/hooks", "useLocalStorage");
const hookz = await from("@react-hookz/web", "useLocalStorageValue");
const stored = await from("use-local-storage-state", "useLocalStorageState");
const hooks = {
  "react-use": await from("react-use", "useLocalStorage"),
  ahooks: (key, defaultValue) => ahooks(key, { defaultValue }),
  "@uidotdev/usehooks": await from("@uidotdev/usehooks", "useLocalStorage"),
  foxact: await from("foxact/use-local-storage", "useLocalStorage"),
  "@mantine/hooks": (key, defaultValue) => mantine({ key, defaultValue }),
  rooks: await from("rooks", "useLocalstorageState"),
  "usehooks-ts": await from("usehooks-ts", "useLocalStorage"),
  "@react-hookz/web": (key, defaultValue) => {
    const { value, set } = hookz(key, { defaultValue });
    return [value, set];
  },
  "use-local-storage-state": (key, defaultValue) => stored(key, { defaultValue }),
};
for (const [name, hook] of Object.entries(hooks)) {
  let shown = {};
  let set;
  const Plan = ({ place }) => {
    const [plan, change] = hook("plan", "free");
    shown[place] = plan;
    set = change;
    return null;
  };
  class Page extends React.Component {
    state = { failed: false };
    static getDerivedStateFromError() {
      return { failed: true };
    }
    render() {
      if (this.state.failed) shown.a = "an error";
      return this.state.failed ? null : ["a", "b"].map((place) => React.createElement(Plan, { place, key: place }));
    }
  }
  const load = async () => {
    shown = {};
    const root = createRoot(document.createElement("div"));
    await React.act(async () => root.render(React.createElement(Page)));
    return root;
  };
  localStorage.clear();
  const root = await load();
  await React.act(async () => set("gold"));
  const seen = [`set ${shown.a} and ${shown.b}`];
  localStorage.setItem("plan", '"silver"');
  const init = { key: "plan", oldValue: '"gold"', newValue: '"silver"', storageArea: localStorage };
  await React.act(async () => window.dispatchEvent(new StorageEvent("storage", init)));
  seen.push(`other tab ${shown.a} and ${shown.b}`);
  await React.act(async () => root.unmount());
  localStorage.setItem("plan", "bronze");
  await load();
  seen.push(`text ${shown.a}, then ${localStorage.getItem("plan")}`);
  console.log(`${name}: ${seen.join("; ")}`);
}
process.exit();
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'react-use: set free and gold; other tab free and gold; text free, then bronze
ahooks: set free and gold; other tab free and gold; text free, then bronze
@uidotdev/usehooks: set gold and gold; other tab silver and silver; text an error, then bronze
foxact: set gold and gold; other tab silver and silver; text an error, then bronze
@mantine/hooks: set gold and gold; other tab silver and silver; text bronze, then "bronze"
rooks: set gold and gold; other tab silver and silver; text bronze, then "bronze"
usehooks-ts: set gold and gold; other tab silver and silver; text free, then bronze
@react-hookz/web: set gold and gold; other tab silver and silver; text free, then bronze
use-local-storage-state: set gold and gold; other tab silver and silver; text free, then bronze' ]
