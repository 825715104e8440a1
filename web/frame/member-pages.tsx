import { Navigate, Outlet, useRouterState } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { Failure } from "../parts/failure.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { useVisitor } from "../queries.ts";
import { AccountBanners } from "./account-banners.tsx";
import { Pending, titleOf } from "./pending.tsx";
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
      return (
        <>
          <PageTitle title={titleOf(here)} />
          <Failure error={visitor.error} onRetry={() => void visitor.refetch()} />
        </>
      );
    }
    return <Pending />;
  }
  const { person } = visitor.data;
  // A session that ends while a page is open is no reason to take the page away.
  if (person === null && !wasHere.current) {
    return <ToSignIn next={here} />;
  }
  return (
    <>
      {person !== null && <AccountBanners visitor={visitor.data} person={person} />}
      <Outlet />
      {(signedOut || person === null) && <SignedOutDialog next={here} />}
    </>
  );
}

/** Where the person was going is fixed at first: on the way there the address is the sign-in's already. */
function ToSignIn({ next }: { next: string }) {
  const [first] = useState(next);
  return <Navigate to="/sign-in" search={{ next: first }} replace />;
}
