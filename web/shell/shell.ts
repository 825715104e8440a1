import { chooseAppearance, startAppearance } from "./appearance.ts";
import { startSearch } from "./search.ts";
import { announceSignOut, askVisitor, followOtherTabs, isSignedIn } from "./visitor.ts";

/** What differs between the pages that React draws and the others. */
export type ShellHost = {
  /** Opens a page of the service without loading it. False: the browser has to load it. */
  open(href: string): boolean;
  /** Asks the service who the visitor is, and shows it. */
  askVisitor(): void;
  /** Ends the session. Rejects where it did not end. */
  signOut(): Promise<void>;
};

let host: ShellHost = {
  open: () => false,
  askVisitor: () => void askVisitor(baseOf(document)),
  signOut: signOutAndReload,
};

/** The pages of React call this before they render. */
export function connectShell(newHost: ShellHost): void {
  host = newHost;
}

/** Opens a page of the service, loading it if necessary. */
function openPage(href: string): void {
  if (!host.open(href)) location.assign(href);
}

/** The path under which the service is published, without a slash at its end. */
const baseOf = (page: Document): string =>
  page.querySelector<HTMLElement>(".tb-header")?.dataset["base"] ?? "";

/** Makes the header of the page work: its search, its menus, and the links that depend on the visitor. */
export function startShell(page: Document): void {
  const header = page.querySelector<HTMLElement>(".tb-header");
  if (header === null) return;
  const base = baseOf(page);
  startAppearance(page);
  startSearch(header, () => {
    closeMenus();
    return { base, isSignedIn: isSignedIn(), openPage, chooseAppearance, signOut: signOutAndLeave };
  });
  for (const button of page.querySelectorAll<HTMLButtonElement>("[data-sign-out]")) {
    button.addEventListener("click", () => void signOut(button));
  }
  page.addEventListener("click", followLink);
  for (const type of ["dragover", "drop"] as const) addEventListener(type, keepPage);
  followOtherTabs(() => host.askVisitor());
  // React asks for the visitor itself.
  if (page.getElementById("app") === null) host.askVisitor();
}

/** A file that is dropped where nothing takes it would replace the page. */
function keepPage(event: DragEvent): void {
  const takesFiles = (event.target as Element).closest("input[type=file]") !== null;
  if (event.defaultPrevented || takesFiles || !event.dataTransfer?.types.includes("Files")) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = "none";
}

/** Links of the shell lead to pages of React without a load, where React is. */
function followLink(event: MouseEvent): void {
  const link = (event.target as Element).closest<HTMLAnchorElement>("a[href]");
  if (link === null || link.closest(SHELL_PARTS) === null) return;
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
    return;
  closeMenus();
  if (!event.defaultPrevented && host.open(link.href)) event.preventDefault();
}
const SHELL_PARTS = ".tb-header,.tb-popover,.tb-side,.tb-footer,.tb-palette";

export function closeMenus(): void {
  for (const menu of document.querySelectorAll<HTMLElement>(".tb-popover:popover-open")) {
    menu.hidePopover();
  }
}

/** Marks the links to the page that is open. `path` includes the base. */
export function showPath(path: string): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>(".tb-links a,.tb-nav a")) {
    const target = new URL(link.href).pathname;
    if (target === path) link.setAttribute("aria-current", "page");
    else if (path.startsWith(`${target}/`)) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

async function signOut(button: HTMLButtonElement): Promise<void> {
  if (button.getAttribute("aria-busy") === "true") return;
  const error = button.parentElement?.querySelector("[data-sign-out-error]");
  button.setAttribute("aria-busy", "true");
  button.textContent = "Signing out";
  if (error) error.textContent = "";
  try {
    await host.signOut();
    closeMenus();
  } catch (cause) {
    if (error) error.textContent = (cause as Error).message;
  }
  button.removeAttribute("aria-busy");
  button.textContent = "Sign out";
}

/** Ends the session on a page that the server renders: it stays open. */
async function signOutAndReload(): Promise<void> {
  const response = await fetch(`${baseOf(document)}/dashboard/auth/sign-out`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  }).catch(() => null);
  if (!response?.ok) throw new Error("You could not be signed out. Try again.");
  announceSignOut();
}

/** Ends the session as the buttons in the menus do. Where that fails, the visitor stays signed in, as the header shows. */
async function signOutAndLeave(): Promise<void> {
  await host.signOut().catch(() => {});
}
