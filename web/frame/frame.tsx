import { useQueryClient } from "@tanstack/react-query";
import { Outlet, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { queryKeys, useVisitor } from "../queries.ts";
import { Header } from "./header.tsx";
import { MemberLinks } from "./navigation.tsx";
import { OfflineBanner } from "./offline-banner.tsx";

const MEMBER_PATH = /^\/(?:home|requests|usage|credits|settings)\b/;

/** The header and navigation around every screen. The sidebar depends on the path alone, so that the layout does not shift. */
export function Frame() {
  const visitor = useVisitor();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const isMember = MEMBER_PATH.test(path);
  useResetOnUserChange(visitor.data?.user?.email);
  return (
    <>
      <a className="tb-skip" href="#content">
        Skip to content
      </a>
      <Header visitor={visitor.data} isMember={isMember} />
      <OfflineBanner />
      <div className={isMember ? "tb-body tb-with-side" : "tb-body"}>
        {isMember && (
          <nav className="tb-wide tb-side tb-side-links" aria-label="Your account">
            <MemberLinks />
          </nav>
        )}
        <main id="content" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
    </>
  );
}

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
