import type { KeysView } from "#api/dashboard/shapes.ts";
import type { Appearance } from "./appearance.ts";
import { type Entry, fromIndex, type IndexEntry } from "./find-entries.ts";

/**
 * What the search can do. It is handed over, not imported: the search is loaded later, and what both imported would become a
 * file of its own that every page had to wait for.
 */
export type SearchDeps = {
  /** The path under which the service is published. */
  base: string;
  isSignedIn: boolean;
  openPage(href: string): void;
  chooseAppearance(appearance: Appearance): void;
  signOut(): Promise<void>;
};

/** What can be chosen without asking the service: the pages that the menus of the header name, and actions. */
export function knownEntries(deps: SearchDeps): Entry[] {
  const header = document.querySelector<HTMLElement>(".tb-header");
  const { base, isSignedIn: isMember, chooseAppearance, signOut } = deps;
  const links = [...document.querySelectorAll<HTMLAnchorElement>("#tb-menu a")];
  const pages = links.filter(
    (link) => link.closest(isMember ? ".tb-if-out" : ".tb-if-in") === null,
  );
  const action = (title: string, text: string, target: Entry["target"]): Entry => ({
    group: "Actions",
    title,
    detail: "",
    text,
    target,
  });
  return [
    ...pages.map(
      (link): Entry => ({
        group: "Go to",
        title: link.textContent ?? "",
        detail: "",
        text: "go to open page",
        target: link.getAttribute("href") ?? "",
      }),
    ),
    ...(isMember
      ? [
          action("Create API key", "new secret token", `${base}/settings/api-keys#create`),
          ...(header?.dataset["sells"] === undefined
            ? []
            : [action("Buy credits", "top up pay pack purchase", `${base}/credits`)]),
        ]
      : []),
    action("Use light appearance", "switch theme mode colors", () => chooseAppearance("light")),
    action("Use dark appearance", "switch theme mode colors", () => chooseAppearance("dark")),
    action("Use system appearance", "switch theme mode colors light dark", () =>
      chooseAppearance("auto"),
    ),
    ...(isMember ? [action("Sign out", "log out end session", signOut)] : []),
  ];
}

/** The documentation, error codes and tools. Kept once they were loaded. */
let index: Promise<Entry[]> | null = null;
export function loadIndex({ base }: SearchDeps): Promise<Entry[]> {
  index ??= loadJson<IndexEntry[]>(`${base}/docs/search.json`).then(
    (entries) => entries.map((entry) => fromIndex(entry, base)),
    (error: unknown) => {
      index = null; // The next time tries again.
      throw error;
    },
  );
  return index;
}

/** The active API keys of a signed-in user. Asked for each time, because keys change. */
export async function loadKeys({ base, isSignedIn }: SearchDeps): Promise<Entry[]> {
  if (!isSignedIn) return [];
  const { keys } = await loadJson<KeysView>(`${base}/dashboard/keys`);
  return keys
    .filter(({ revokedAt }) => revokedAt === null)
    .map(({ label, start }) => ({
      group: "API keys",
      title: label,
      detail: `${start}…`,
      text: "api key",
      target: `${base}/settings/api-keys`,
    }));
}

async function loadJson<T>(url: string): Promise<T> {
  const response = await fetch(url, { headers: { accept: "application/json" } });
  if (!response.ok) throw new Error(`${url} responds with ${response.status}`);
  return response.json() as Promise<T>;
}
