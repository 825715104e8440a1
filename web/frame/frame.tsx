import { useQueryClient } from "@tanstack/react-query";
import { Outlet, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { queryKeys, useVisitor } from "../queries.ts";
import { Header } from "./header.tsx";
import { MemberLinks } from "./navigation.tsx";
import { OfflineBanner } from "./offline-banner.tsx";

const MEMBER_PATH = /^\/(?:home|usage|credits|settings)\b/;

/** What stands around every screen. The side belongs to the address, not to the person, so that nothing jumps. */
export function Frame() {
  const visitor = useVisitor();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const isMember = MEMBER_PATH.test(path);
  useForgetting(visitor.data?.person?.email);
  return (
    <>
      <a className="tb-skip" href="#content">
        Skip to the content
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

/** Someone else signed in through another window: nothing of the person before may stay on the page. */
function useForgetting(email: string | undefined) {
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
