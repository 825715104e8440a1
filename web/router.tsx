import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { base } from "./addresses.ts";
import { CrashedScreen, NotFound, Pending } from "./frame/fallbacks.tsx";
import { Frame } from "./frame/frame.tsx";
import { NavigationProgress } from "./frame/navigation-progress.tsx";
import { screenOf } from "./frame/screen-of.ts";
import { headingFocus } from "./parts/focus.ts";

/** Every page that React renders. Each screen is a separate chunk, loaded on demand. */
const root = createRootRoute({ component: Frame, notFoundComponent: NotFound });
const top = () => root;

/** Pages that need a session. */
const member = createRoute({
  getParentRoute: top,
  id: "member",
  component: screenOf(() => import("./frame/member-pages.tsx")),
});
const memberPages = () => member;

type Load = Parameters<typeof screenOf>[0];
const screen = <const Path extends string>(path: Path, load: Load) =>
  createRoute({ getParentRoute: top, path, component: screenOf(load) });
const memberScreen = <const Path extends string>(path: Path, load: Load) =>
  createRoute({ getParentRoute: memberPages, path, component: screenOf(load) });

const routes = root.addChildren([
  screen("/sign-in", () => import("./sign-in/sign-in-screen.tsx")),
  screen("/sign-in/link", () => import("./sign-in/link-screen.tsx")),
  screen("/undo-email-change", () => import("./sign-in/undo-email-screen.tsx")),
  screen("/unsubscribe", () => import("./notifications/unsubscribe-screen.tsx")),
  screen("/tools", () => import("./tools/tools-screen.tsx")),
  screen("/tools/$name", () => import("./tools/tool-screen.tsx")),
  member.addChildren([
    memberScreen("/home", () => import("./home/home-screen.tsx")),
    memberScreen("/settings/api-keys", () => import("./keys/keys-screen.tsx")),
    memberScreen(
      "/settings/notifications",
      () => import("./notifications/notifications-screen.tsx"),
    ),
    memberScreen("/settings/webhooks", () => import("./webhooks/webhooks-screen.tsx")),
    memberScreen("/settings/account", () => import("./account/account-screen.tsx")),
    memberScreen("/usage", () => import("./usage/usage-screen.tsx")),
    memberScreen("/requests", () => import("./requests/requests-screen.tsx")),
    memberScreen("/credits", () => import("./credits/credits-screen.tsx")),
  ]),
]);

function makeRouter() {
  const router = createRouter({
    routeTree: routes,
    basepath: base() === "" ? "/" : base(),
    defaultPreload: "intent",
    defaultErrorComponent: CrashedScreen,
    defaultPendingComponent: Pending,
    // A page stays until the code of the next one is there; the bar says that it is loading.
    defaultPendingMs: Number.POSITIVE_INFINITY,
    InnerWrap: ({ children }) => (
      <>
        <NavigationProgress />
        {children}
      </>
    ),
    scrollRestoration: true,
    // Values stay strings: a token of digits must not become a number.
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const defined = Object.entries(search).filter(([, value]) => value !== undefined);
      const text = new URLSearchParams(defined as [string, string][]).toString();
      return text === "" ? "" : `?${text}`;
    },
  });
  router.subscribe("onBeforeNavigate", ({ fromLocation, pathChanged }) => {
    if (fromLocation !== undefined && pathChanged) headingFocus.expect();
  });
  return router;
}

export const router = makeRouter();

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
