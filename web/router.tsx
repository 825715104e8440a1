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

const routes = root.addChildren([
  createRoute({
    getParentRoute: top,
    path: "/sign-up",
    component: screenOf(() => import("./sign-in/sign-up-screen.tsx")),
  }),
  createRoute({
    getParentRoute: top,
    path: "/sign-in",
    component: screenOf(() => import("./sign-in/sign-in-screen.tsx")),
  }),
  createRoute({
    getParentRoute: top,
    path: "/confirm-sign-in",
    component: screenOf(() => import("./sign-in/confirm-sign-in-screen.tsx")),
  }),
  createRoute({
    getParentRoute: top,
    path: "/verify-email",
    component: screenOf(() => import("./sign-in/verify-email-screen.tsx")),
  }),
  createRoute({
    getParentRoute: top,
    path: "/forgot-password",
    component: screenOf(() => import("./sign-in/forgot-password-screen.tsx")),
  }),
  createRoute({
    getParentRoute: top,
    path: "/reset-password",
    component: screenOf(() => import("./sign-in/reset-password-screen.tsx")),
  }),
  createRoute({
    getParentRoute: top,
    path: "/unsubscribe",
    component: screenOf(() => import("./notifications/unsubscribe-screen.tsx")),
  }),
  createRoute({
    getParentRoute: top,
    path: "/tools",
    component: screenOf(() => import("./tools/tools-screen.tsx")),
  }),
  createRoute({
    getParentRoute: top,
    path: "/tools/$name",
    component: screenOf(() => import("./tools/tool-screen.tsx")),
  }),
  member.addChildren([
    createRoute({
      getParentRoute: memberPages,
      path: "/home",
      component: screenOf(() => import("./home/home-screen.tsx")),
    }),
    createRoute({
      getParentRoute: memberPages,
      path: "/settings/api-keys",
      component: screenOf(() => import("./keys/keys-screen.tsx")),
    }),
    createRoute({
      getParentRoute: memberPages,
      path: "/settings/notifications",
      component: screenOf(() => import("./notifications/notifications-screen.tsx")),
    }),
    createRoute({
      getParentRoute: memberPages,
      path: "/settings/webhooks",
      component: screenOf(() => import("./webhooks/webhooks-screen.tsx")),
    }),
    createRoute({
      getParentRoute: memberPages,
      path: "/settings/account",
      component: screenOf(() => import("./account/account-screen.tsx")),
    }),
    createRoute({
      getParentRoute: memberPages,
      path: "/usage",
      component: screenOf(() => import("./usage/usage-screen.tsx")),
    }),
    createRoute({
      getParentRoute: memberPages,
      path: "/requests",
      component: screenOf(() => import("./requests/requests-screen.tsx")),
    }),
    createRoute({
      getParentRoute: memberPages,
      path: "/credits",
      component: screenOf(() => import("./credits/credits-screen.tsx")),
    }),
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
