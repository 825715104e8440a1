import { useQueryClient } from "@tanstack/react-query";
import { Outlet, useRouter, useRouterState } from "@tanstack/react-router";
import { useEffect, useLayoutEffect, useRef } from "react";
import { isMemberPath } from "#site/member-links.ts";
import { base } from "../addresses.ts";
import { queryKeys, useVisitor } from "../queries.ts";
import { closeMenus, connectShell, showPath } from "../shell/shell.ts";
import { showVisitor } from "../shell/visitor.ts";
import { useSignOut } from "../sign-in/sign-out.ts";
import { OfflineBanner } from "./offline-banner.tsx";

/**
 * What is around every screen. The server renders the header, the side navigation and the footer, which stay while screens come
 * and go; this component tells them where the user is and who they are.
 */
export function Frame() {
  const visitor = useVisitor();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const user = visitor.data?.user;
  useLayoutEffect(() => {
    if (isMemberPath(path)) document.body.dataset["area"] = "member";
    else delete document.body.dataset["area"];
    showPath(base() + path);
    closeMenus();
  }, [path]);
  useEffect(() => {
    if (user !== undefined) showVisitor(user);
  }, [user]);
  useShellHost();
  useResetOnUserChange(user?.email);
  return (
    <>
      <OfflineBanner />
      <main id="content" tabIndex={-1} data-rendered>
        <Outlet />
      </main>
    </>
  );
}

/** The links and the sign-out of the shell use the router and its cache. */
function useShellHost() {
  const router = useRouter();
  const client = useQueryClient();
  const { mutateAsync: signOut } = useSignOut();
  useEffect(() => {
    connectShell({
      open(href) {
        const { origin, pathname } = new URL(href, location.href);
        if (origin !== location.origin || !pathname.startsWith(`${base()}/`)) return false;
        const path = pathname.slice(base().length);
        if (!isScreen(path, router.routesByPath)) return false;
        void router.navigate({ href: href.slice(href.startsWith(origin) ? origin.length : 0) });
        return true;
      },
      askVisitor: () => void client.refetchQueries({ queryKey: queryKeys.visitor }),
      async signOut() {
        await signOut();
      },
    });
  }, [router, client, signOut]);
}

const isScreen = (path: string, routes: object): boolean =>
  Object.hasOwn(routes, path) || /^\/tools\/[^/]+$/.test(path);

/** Discards cached data when another user signs in through another window. */
function useResetOnUserChange(email: string | undefined) {
  const client = useQueryClient();
  const before = useRef(email);
  useEffect(() => {
    if (email === undefined) return;
    if (before.current !== undefined && before.current !== email) {
      void client.resetQueries({ queryKey: queryKeys.mine });
    }
    before.current = email;
  }, [email, client]);
}
