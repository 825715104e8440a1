import { Button, Text, Title } from "@mantine/core";
import { Navigate, Outlet, useRouterState } from "@tanstack/react-router";
import { Suspense, useRef, useState } from "react";
import { absoluteUrl } from "../addresses.ts";
import { useConnection } from "../connection.ts";
import { Failure } from "../parts/message.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { useProofWanted } from "../proof.ts";
import { useVisitor } from "../queries.ts";
import { Banners } from "./banners.tsx";
import { Dialog } from "./dialog.tsx";
import { Pending, titleOf } from "./fallbacks.tsx";
import { screenOf } from "./screen-of.ts";

/** Wraps every page that needs a session. Without one, the user is sent to sign in and then back here. */
export default function MemberPages() {
  const visitor = useVisitor();
  const here = useRouterState({ select: ({ location }) => location.href });
  const { signedOut } = useConnection();
  const wasSignedIn = useRef(false);
  if (visitor.data?.user) wasSignedIn.current = true;
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
  const { user } = visitor.data;
  // If the session ends while a page is open, the page stays and a dialog asks to sign in again.
  if (user === null && !wasSignedIn.current) {
    return <RedirectToSignIn next={here} />;
  }
  return (
    <>
      <Banners visitor={visitor.data} />
      <Outlet />
      <ProofDialogs />
      {(signedOut || user === null) && <SignedOutDialog next={here} />}
    </>
  );
}

const ProofDialog = screenOf(() => import("../account/proof-dialog.tsx"));

/** A request of any page may need a fresh proof. */
function ProofDialogs() {
  if (!useProofWanted()) return null;
  return (
    <Suspense>
      <ProofDialog />
    </Suspense>
  );
}

/** Keeps the first `next`, because the location is already the sign-in page during the navigation. */
function RedirectToSignIn({ next }: { next: string }) {
  const [first] = useState(next);
  return <Navigate to="/sign-in" search={{ next: first }} replace />;
}

/** The page behind the dialog stays readable. */
function SignedOutDialog({ next }: { next: string }) {
  const target = absoluteUrl(`/sign-in?next=${encodeURIComponent(next)}`);
  return (
    <Dialog label="Sign in again" className="tb-titled">
      <div className="tb-titled-body">
        <Title order={2}>Sign in again</Title>
        <Text mt="xs">
          Your session has ended, or you signed out in another window. Your account has not changed.
          After you sign in, you return to this page.
        </Text>
        <Button component="a" href={target} mt="lg">
          Sign in
        </Button>
      </div>
    </Dialog>
  );
}
