import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Failure } from "../parts/failure.tsx";
import { LoadingRows } from "../parts/loading.tsx";
import { useVisitor } from "../queries.ts";
import { CheckMail } from "./check-mail.tsx";
import { checkEmail, checkNewPassword } from "./error-text.ts";
import { EmailField, PasswordField, SubmitButton } from "./fields.tsx";
import { Problems } from "./problems.tsx";
import { Providers } from "./providers.tsx";
import { useSendVerification, useSignUp } from "./requests.ts";
import { SignInFrame } from "./sign-in-frame.tsx";
import { useForm } from "./use-form.ts";

export default function SignUpScreen() {
  const visitor = useVisitor();
  const [sent, setSent] = useState<{ email: string; signUp: string } | null>(null);
  const resend = useSendVerification(sent?.signUp);
  if (sent !== null) {
    return (
      <CheckMail
        email={sent.email}
        what="To finish signing up, open the link in the letter that we sent to"
        send={resend}
        onBack={() => setSent(null)}
      />
    );
  }
  if (visitor.data === undefined) {
    return (
      <SignInFrame title="Sign up">
        {visitor.isError ? (
          <Failure error={visitor.error} onRetry={() => void visitor.refetch()} />
        ) : (
          <LoadingRows rows={3} height={64} />
        )}
      </SignInFrame>
    );
  }
  if (visitor.data.person !== null) return <SignedInAlready email={visitor.data.person.email} />;
  const { signUp, starter } = visitor.data;
  return <SignUpForm lead={signUp === "closed" ? CLOSED : offer(starter)} onSent={setSent} />;
}

function SignUpForm({
  lead,
  onSent,
}: {
  lead: string;
  onSent: (sent: { email: string; signUp: string }) => void;
}) {
  const signUp = useSignUp();
  const form = useForm({ email: checkEmail, password: checkNewPassword }, async (texts) => {
    const email = texts.email.trim();
    const made = await signUp.mutateAsync({ email, password: texts.password });
    onSent({ email, signUp: made.signUp });
  });
  return (
    <SignInFrame title="Sign up" lead={lead}>
      <Providers next="/home" />
      <form onSubmit={(event) => void form.submit(event)} noValidate>
        <Problems faults={form.faults} error={form.error} attempt={form.attempt} />
        <EmailField {...form.field("email")} />
        <PasswordField {...form.field("password")} isNew label="Password" />
        <SubmitButton busy={form.busy} words="Sign up" busyWords="Signing up" />
      </form>
      <div className="tb-door-foot">
        <p>
          You have an account? <Link to="/sign-in">Sign in</Link>
        </p>
      </div>
    </SignInFrame>
  );
}

const offer = ({ credits, days }: { credits: number; days: number }): string =>
  credits === 0
    ? "An e-mail address and a password: that is all. The first call is free."
    : `The first call is free. Then you have ${credits} credits to try everything, for ${days} days.`;

/** The same form: whoever has an account from the operator takes it over with its address and a password of their own. */
const CLOSED =
  "Accounts of this service are made by its operator. If yours was made, enter its address and choose a password: a letter goes there. If not, ask the operator for one.";

export const SignedInAlready = ({ email }: { email: string }) => (
  <SignInFrame title="You are signed in" lead={<>Signed in as {email}.</>}>
    <div className="tb-door-foot">
      <p>
        <Link to="/home">Go to your home page</Link>
      </p>
    </div>
  </SignInFrame>
);
