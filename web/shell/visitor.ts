import { readStored, store, VISITOR_KEY } from "./storage.ts";

/** What the header shows of the signed-in user. */
export type ShellUser = { email: string };

type Hint = "in" | "out";

function readHint(): Hint | null {
  const hint = readStored(VISITOR_KEY);
  return hint === "in" || hint === "out" ? hint : null;
}

/** Shows the links of a signed-in user, or those of everybody else. */
export function showVisitor(user: ShellUser | null): void {
  const hint: Hint = user === null ? "out" : "in";
  store(VISITOR_KEY, hint);
  showHint(hint);
  for (const place of document.querySelectorAll("[data-email]")) {
    place.textContent = user?.email ?? "";
  }
  const label = user === null ? "Account" : `Account: ${user.email}`;
  document.querySelector("[data-account]")?.setAttribute("aria-label", label);
}

const showHint = (hint: Hint | null): void => {
  if (hint === "in") document.documentElement.setAttribute("data-visitor", "in");
  else {
    document.documentElement.removeAttribute("data-visitor");
    document.documentElement.removeAttribute("data-was-in");
  }
};

export const isSignedIn = (): boolean =>
  document.documentElement.getAttribute("data-visitor") === "in";

/**
 * Asks the service who the visitor is. Where this browser knows that no user is signed in, it does not ask: a sign-in always
 * ends on a page that does.
 */
export async function askVisitor(base: string): Promise<void> {
  if (readHint() === "out") return;
  const response = await fetch(`${base}/dashboard/visitor`, {
    headers: { accept: "application/json" },
    cache: "no-store",
  }).catch(() => null);
  // Without a response of the service the page stays as it is: something else may have answered.
  if (response === null || !response.ok) return;
  const visitor: { user?: ShellUser | null } | null = await response.json().catch(() => null);
  if (visitor?.user !== undefined) showVisitor(visitor.user);
}

const SIGNED_OUT_KEY = "tb-signed-out";

/** Shows that the user has signed out, here and in the other tabs of this browser. */
export function announceSignOut(): void {
  showVisitor(null);
  store(SIGNED_OUT_KEY, String(Date.now()));
}

/**
 * Follows a sign-in or sign-out in another tab. `ask` learns who signed in. After a sign-out, pages of the dashboard are left at
 * once: somebody else may use the computer next. A session that merely ended keeps them open, because of what was typed there.
 */
export function followOtherTabs(ask: () => void): void {
  addEventListener("storage", ({ key }) => {
    if (key === SIGNED_OUT_KEY && document.body.dataset["area"] === "member") location.reload();
    if (key !== VISITOR_KEY && key !== null) return;
    showHint(readHint());
    ask();
  });
}
