import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { useVisitor } from "../queries.ts";
import { ProblemDetails } from "../request.ts";
import { CheckMail } from "./check-mail.tsx";
import { checkEmail } from "./error-text.ts";
import { EmailField, SubmitButton } from "./fields.tsx";
import { Problems } from "./problems.tsx";
import { useLinkToken, useSendVerification, useVerifyEmail } from "./requests.ts";
import { SignInFrame } from "./sign-in-frame.tsx";
import { useForm } from "./use-form.ts";

/** The link of the letter leads here. Opening it does nothing yet: programs that scan mail open links too. */
export default function VerifyEmailScreen() {
  const { token, forget } = useLinkToken();
  const verify = useVerifyEmail();
  const sent = useRef(false);
  const error = verify.error;
  if (verify.data?.resetToken !== undefined) return <NoPassword token={verify.data.resetToken} />;
  if (verify.data?.emailTo !== undefined) return <HalfMoved to={verify.data.emailTo} />;
  if (verify.isSuccess) return <Confirmed moved={verify.data.moved === true} />;
  const spent =
    error instanceof ProblemDetails && error.status < 500 && !MENDABLE.includes(error.code);
  if (token === "" || spent) return <NewLink />;
  function confirm() {
    if (sent.current) return;
    sent.current = true;
    verify.mutate(token, {
      onSuccess: forget,
      onSettled: () => {
        sent.current = false;
      },
    });
  }
  return (
    <SignInFrame title="Confirm your e-mail address" lead="One click, and your account is ready.">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          confirm();
        }}
      >
        <Problems faults={{}} error={error} attempt={verify.failureCount} />
        <SubmitButton busy={verify.isPending} words="Confirm my address" busyWords="Confirming" />
      </form>
    </SignInFrame>
  );
}

/** Refusals that say themselves what to do; the link stays good. */
const MENDABLE = ["too_many_requests", "SIGN_IN_FIRST", "ADDRESS_TAKEN"];

/** Whoever signed up first may have been a stranger, so their password is gone. */
const NoPassword = ({ token }: { token: string }) => (
  <SignInFrame
    title="Your address is confirmed"
    lead="One thing is left: choose a password of your own, and you can sign in."
  >
    <Button
      renderRoot={(props) => <Link to="/reset-password" search={{ token }} {...props} />}
      mt="lg"
      size="md"
    >
      Choose a password
    </Button>
  </SignInFrame>
);

/** The old address has agreed; the new one has to. */
const HalfMoved = ({ to }: { to: string }) => (
  <SignInFrame
    title="One step is left"
    lead={
      <>
        A letter is on its way to <strong>{to}</strong>. Open its link in this browser, and your
        account has the new address. Until then nothing changes.
      </>
    }
  />
);

function Confirmed({ moved }: { moved: boolean }) {
  const person = useVisitor().data?.person ?? null;
  return person === null ? (
    <SignInFrame
      title="Your address is confirmed"
      lead="Your account is ready. Sign in to make your first key."
    >
      <Button renderRoot={(props) => <Link to="/sign-in" {...props} />} mt="lg" size="md">
        Sign in
      </Button>
    </SignInFrame>
  ) : (
    <SignInFrame
      title={moved ? "Your address was changed" : "Your address is confirmed"}
      lead={<>You are signed in as {person.email}.</>}
    >
      <Button renderRoot={(props) => <Link to="/home" {...props} />} mt="lg" size="md">
        Go to your home page
      </Button>
    </SignInFrame>
  );
}

/** Used up or too old. Whether it was used, the sign-in shows; whether the address has an account, nobody tells. */
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
      <CheckMail
        email={sentTo}
        what="If that address still has to be confirmed, a letter with a new link goes to"
        send={send}
        onBack={() => setSentTo(null)}
      />
    );
  }
  return (
    <SignInFrame
      title="This link works no more"
      lead={
        <>
          It has been used, or it is too old. If you have confirmed your address already,{" "}
          <Link to="/sign-in">sign in</Link>. If not, we send you a new link.
        </>
      }
    >
      <form onSubmit={(event) => void form.submit(event)} noValidate>
        <Problems faults={form.faults} error={form.error} attempt={form.attempt} />
        <EmailField {...form.field("email")} />
        <SubmitButton busy={form.busy} words="Send a new link" busyWords="Sending" />
      </form>
    </SignInFrame>
  );
}
