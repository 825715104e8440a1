import { Button } from "@mantine/core";
import { Link, Navigate, useRouterState } from "@tanstack/react-router";
import { nextPage } from "../addresses.ts";
import { CodeBlock } from "../parts/code-block.tsx";
import { ProblemDetails } from "../request.ts";
import { useOpenLink } from "./requests.ts";
import { ConfirmForm, RedirectToNext, SignInFrame } from "./sign-in-frame.tsx";

/** The target of the link in the email. The button posts the secret, which is in the fragment: browsers do not send that. */
export default function LinkScreen() {
  const secret = useRouterState({ select: ({ location }) => location.hash });
  const open = useOpenLink();
  if (open.data !== undefined) {
    const { code, signedUp } = open.data;
    return code === null ? (
      <RedirectToNext next={nextPage.read()} isNew={signedUp} />
    ) : (
      <OtherBrowser code={code} />
    );
  }
  const problem = open.error instanceof ProblemDetails ? open.error.code : null;
  if (secret === "" || problem === "attempt_ended") return <EndedLink />;
  if (problem === "passkey_required") {
    // That page says why, and has the button for passkeys.
    return <Navigate to="/sign-in" search={{ error: problem, next: nextPage.read() }} replace />;
  }
  return (
    <SignInFrame title="Sign in" lead="Press the button to sign in on this device.">
      <ConfirmForm
        change={open}
        action={["Sign in", "Signing in"]}
        onSubmit={() => open.mutate(secret)}
      />
    </SignInFrame>
  );
}

const OtherBrowser = ({ code }: { code: string }) => (
  <SignInFrame
    title="Your code"
    waitsFor="mail"
    lead="You began to sign in with another browser. Enter this code there."
  >
    <div className="tb-big-code">
      <CodeBlock code={code.replace(/^\d{4}/, "$& ")} label="Code" />
    </div>
    <p>
      If it wasn't you, close this page. Do not give the code to anyone: without it, no one can sign
      in.
    </p>
  </SignInFrame>
);

const EndedLink = () => (
  <SignInFrame
    title="This link is no longer valid"
    lead="A link works once, within 10 minutes. Sign in again to get a new one."
  >
    <Button component={Link} to="/sign-in" mt="lg" size="md">
      Sign in
    </Button>
  </SignInFrame>
);
