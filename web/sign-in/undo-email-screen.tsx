import { Button } from "@mantine/core";
import { Link, useRouterState } from "@tanstack/react-router";
import { useSend } from "../queries.ts";
import { ProblemDetails, request } from "../request.ts";
import { ConfirmForm, SignInFrame } from "./sign-in-frame.tsx";

/** The target of the link in the email to the address that an account had before. The button posts the secret of the fragment. */
export default function UndoEmailScreen() {
  const secret = useRouterState({ select: ({ location }) => location.hash });
  const undo = useSend({
    mutationFn: () =>
      request<{ email: string }>("POST", "/dashboard/auth/undo-email-change", { secret }),
  });
  if (undo.data !== undefined) {
    return (
      <SignInFrame
        title="Your email address is restored"
        done
        lead={
          <>
            You sign in with <strong>{undo.data.email}</strong> again. All sessions of your account
            have ended.
          </>
        }
      >
        <ToSignIn />
      </SignInFrame>
    );
  }
  const hasEnded = undo.error instanceof ProblemDetails && undo.error.code === "link_expired";
  if (secret === "" || hasEnded) {
    return (
      <SignInFrame
        title="This link is no longer valid"
        lead="A change of your email address can be undone once, within 72 hours. After that, ask the operator of this service for help."
      >
        <ToSignIn />
      </SignInFrame>
    );
  }
  return (
    <SignInFrame
      title="Undo the change of your email address"
      lead="Your account gets its previous address back, and everyone who is signed in is signed out."
    >
      <ConfirmForm
        change={undo}
        action={["Undo the change", "Undoing"]}
        onSubmit={() => undo.mutate()}
      />
    </SignInFrame>
  );
}

const ToSignIn = () => (
  <Button component={Link} to="/sign-in" mt="lg" size="md">
    Sign in
  </Button>
);
