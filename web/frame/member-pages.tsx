import { Navigate, Outlet, useRouterState } from "@tanstack/react-router";
import { useRef } from "react";
import { Failure } from "../parts/failure.tsx";
import { LoadingRows } from "../parts/loading.tsx";
import { useVisitor } from "../queries.ts";
import { AccountBanners } from "./account-banners.tsx";
import { SignedOutDialog } from "./signed-out-dialog.tsx";
import { useConnection } from "./use-connection.ts";

/** Around every page that needs a session: who has none is led to the sign-in and back. */
export function MemberPages() {
  const visitor = useVisitor();
  const here = useRouterState({ select: ({ location }) => location.href });
  const { signedOut } = useConnection();
  const wasHere = useRef(false);
  if (visitor.data?.person) wasHere.current = true;
  if (visitor.data === undefined) {
    if (visitor.isError) {
      return <Failure error={visitor.error} onRetry={() => void visitor.refetch()} />;
    }
    return <LoadingRows />;
  }
  const { person } = visitor.data;
  // A session that ends while a page is open is no reason to take the page away.
  if (person === null && !wasHere.current) {
    return <Navigate to="/sign-in" search={{ next: here }} replace />;
  }
  return (
    <>
      {person !== null && <AccountBanners visitor={visitor.data} person={person} />}
      <Outlet />
      {(signedOut || person === null) && <SignedOutDialog next={here} />}
    </>
  );
}
