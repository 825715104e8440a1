import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useVisitor } from "../queries.ts";
import { ProblemDetails } from "../request.ts";
import { CheckEmail } from "./check-email.tsx";
import { checkEmail } from "./field-checks.ts";
import { EmailField, SubmitButton } from "./fields.tsx";
import { Problems } from "./problems.tsx";
import { useLinkToken, useSendVerification, useVerifyEmail } from "./requests.ts";
import { SignInFrame } from "./sign-in-frame.tsx";
import { useForm } from "./use-form.ts";

/** The target of the link in the email. A button confirms the address, because mail scanners open links too. */
export default function VerifyEmailScreen() {
  const { token, forget } = useLinkToken();
  const verify = useVerifyEmail();
  const isSending = useRef(false);
  const error = verify.error;
  if (verify.data?.resetToken !== undefined)
    return <ChoosePassword token={verify.data.resetToken} />;
  if (verify.data?.emailTo !== undefined) return <NewAddressPending to={verify.data.emailTo} />;
  if (verify.isSuccess) return <Confirmed moved={verify.data.moved === true} />;
  const isExpired =
    error instanceof ProblemDetails && error.status < 500 && !RETRYABLE.includes(error.code);
  if (token === "" || isExpired) return <NewLink />;
  function confirm() {
    if (isSending.current) return;
    isSending.current = true;
    verify.mutate(token, {
      onSuccess: forget,
      onSettled: () => {
        isSending.current = false;
      },
    });
  }
  return (
    <SignInFrame
      title="Confirm your email address"
      lead="Click the button below to finish setting up your account."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          confirm();
        }}
      >
        <Problems fieldErrors={{}} error={error} attempt={verify.failureCount} />
        <SubmitButton busy={verify.isPending} label="Confirm address" busyLabel="Confirming" />
      </form>
    </SignInFrame>
  );
}

/** Errors whose message says what to do; the link stays valid. */
const RETRYABLE = ["too_many_requests", "SIGN_IN_FIRST", "ADDRESS_TAKEN"];

/** This browser did not sign up, or another one did too, so someone else may have chosen the password. */
const ChoosePassword = ({ token }: { token: string }) => (
  <SignInFrame
    title="Email address confirmed"
    lead="One step is left: set your password. The one from the sign-up was removed, because it was chosen in another browser and might not be yours."
  >
    <Button
      renderRoot={(props) => <Link to="/reset-password" search={{ token }} {...props} />}
      mt="lg"
      size="md"
    >
      Set a password
    </Button>
  </SignInFrame>
);

/** The old address is confirmed; the new one is not yet. */
const NewAddressPending = ({ to }: { to: string }) => (
  <SignInFrame
    title="One step left"
    lead={
      <>
        We sent an email to <strong>{to}</strong>. Open its link in this browser to complete the
        change. Until then, your account keeps its current address.
      </>
    }
  />
);

function Confirmed({ moved }: { moved: boolean }) {
  const user = useVisitor().data?.user ?? null;
  return user === null ? (
    <SignInFrame
      title="Email address confirmed"
      lead="Your account is ready. Sign in to create your first API key."
    >
      <Button renderRoot={(props) => <Link to="/sign-in" {...props} />} mt="lg" size="md">
        Sign in
      </Button>
    </SignInFrame>
  ) : (
    <SignInFrame
      title={moved ? "Email address changed" : "Email address confirmed"}
      lead={<>You are signed in as {user.email}.</>}
    >
      <Button renderRoot={(props) => <Link to="/home" {...props} />} mt="lg" size="md">
        Go to your dashboard
      </Button>
    </SignInFrame>
  );
}

/** The link was used or has expired. The wording does not reveal whether the address has an account. */
function NewLink() {
  const send = useSendVerification();
  const [sentTo, setSentTo] = useState<string | null>(null);
  const form = useForm({ email: checkEmail }, async (texts) => {
    const email = texts.email.trim();
    await send.mutateAsync(email);
    setSentTo(email);
  });
  if (sentTo !== null) {
    return (
      <CheckEmail
        email={sentTo}
        lead="If your address is not confirmed yet, we have sent a new link to"
        send={send}
        onBack={() => setSentTo(null)}
      />
    );
  }
  return (
    <SignInFrame
      title="This link is no longer valid"
      lead={
        <>
          It has expired or has already been used. If you have already confirmed your address,{" "}
          <Link to="/sign-in">sign in</Link>. Otherwise, enter your address to get a new link.
        </>
      }
    >
      <form onSubmit={(event) => void form.submit(event)} noValidate>
        <Problems fieldErrors={form.fieldErrors} error={form.error} attempt={form.attempt} />
        <EmailField {...form.field("email")} />
        <SubmitButton busy={form.busy} label="Send new link" busyLabel="Sending" />
      </form>
    </SignInFrame>
  );
}
