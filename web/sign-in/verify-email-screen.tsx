import { Button } from "@mantine/core";
import { Link, Navigate } from "@tanstack/react-router";
import { type ReactNode, useRef, useState } from "react";
import { useVisitor } from "../queries.ts";
import { ProblemDetails } from "../request.ts";
import { firstArrival } from "./arrival.ts";
import { useSignInElsewhere } from "./await-sign-in.ts";
import { CheckEmail } from "./check-email.tsx";
import { checkEmail } from "./field-checks.ts";
import { EmailField, SubmitButton } from "./fields.tsx";
import { addressIn, knownAddress } from "./known-address.ts";
import { Problems } from "./problems.tsx";
import { useLinkToken, useSendVerification, useVerifyEmail } from "./requests.ts";
import { SignInFrame } from "./sign-in-frame.tsx";
import { useForm } from "./use-form.ts";

/** The target of the link in the email. A button confirms the address, because mail scanners open links too. */
export default function VerifyEmailScreen() {
  const { token, forget } = useLinkToken();
  const verify = useVerifyEmail();
  const isSending = useRef(false);
  const { data, error } = verify;
  const address = data?.email ?? addressIn(token);
  if (data?.resetToken !== undefined) {
    const search = { token: data.resetToken, email: data.email ?? "" };
    return (
      <GoingOn>
        <Navigate to="/reset-password" search={search} replace />
      </GoingOn>
    );
  }
  if (data?.emailTo !== undefined) return <NewAddressPending to={data.emailTo} />;
  if (data?.moved === true) return <Moved />;
  if (verify.isSuccess) return <Confirmed email={address} />;
  const isExpired =
    error instanceof ProblemDetails && error.status < 500 && !RETRYABLE.includes(error.code);
  if (token === "" || isExpired) return <NewLink email={address} />;
  function confirm() {
    if (isSending.current) return;
    isSending.current = true;
    verify.mutate(token, {
      onSuccess(opened) {
        forget();
        knownAddress.set(opened.email ?? "");
        if (opened.email !== undefined) firstArrival.expect();
      },
      onSettled: () => {
        isSending.current = false;
      },
    });
  }
  return (
    <SignInFrame
      title="Confirm your email address"
      lead={
        address === "" ? (
          "One click, and you are done."
        ) : (
          <>
            Is <strong>{address}</strong> your address?
          </>
        )
      }
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

/** While the code of the next page is loading. */
const GoingOn = ({ children }: { children: ReactNode }) => (
  <SignInFrame title="Email address confirmed" lead="One moment.">
    {children}
  </SignInFrame>
);

/** The old address is confirmed; the new one is not yet. */
const NewAddressPending = ({ to }: { to: string }) => (
  <SignInFrame
    title="One step left"
    waitsFor="mail"
    lead={
      <>
        We sent an email to <strong>{to}</strong>. Open its link in this browser to complete the
        change. Until then, your account keeps its current address.
      </>
    }
  />
);

const Moved = () => (
  <SignInFrame
    title="Email address changed"
    done
    lead={<>You are signed in as {useVisitor().data?.user?.email}.</>}
  >
    <Button renderRoot={(props) => <Link to="/home" {...props} />} mt="lg" size="md">
      Go to your dashboard
    </Button>
  </SignInFrame>
);

/** Goes on to the dashboard where the user is signed in, now or when another tab is done with the same link. */
function Confirmed({ email }: { email: string }) {
  const user = useVisitor().data?.user ?? null;
  useSignInElsewhere();
  if (user !== null) {
    return (
      <GoingOn>
        <Navigate to="/home" replace />
      </GoingOn>
    );
  }
  return (
    <SignInFrame
      title="Email address confirmed"
      done
      lead={<>Sign in{email !== "" && <> as {email}</>} to go on.</>}
    >
      <Button renderRoot={(props) => <Link to="/sign-in" {...props} />} mt="lg" size="md">
        Sign in
      </Button>
    </SignInFrame>
  );
}

/** The link was used or has expired. The wording does not reveal whether the address has an account. */
function NewLink({ email }: { email: string }) {
  const send = useSendVerification();
  const [sentTo, setSentTo] = useState<string | null>(null);
  const form = useForm(
    { email: checkEmail },
    async (texts) => {
      const to = texts.email.trim();
      await send.mutateAsync(to);
      setSentTo(to);
    },
    { email: email || knownAddress.get() },
  );
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
          <Link to="/sign-in">sign in</Link>. Otherwise, request a new link.
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
