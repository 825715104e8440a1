import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { AgreementLine } from "../parts/legal-links.tsx";
import { Failure } from "../parts/message.tsx";
import { LoadingRows } from "../parts/placeholders.tsx";
import { useVisitor } from "../queries.ts";
import { CheckEmail } from "./check-email.tsx";
import { checkEmail, checkNewPassword } from "./field-checks.ts";
import { EmailField, PasswordField, SubmitButton } from "./fields.tsx";
import { Problems } from "./problems.tsx";
import { Providers } from "./providers.tsx";
import { useSendVerification, useSignUp } from "./requests.ts";
import { SignInFrame } from "./sign-in-frame.tsx";
import { useForm } from "./use-form.ts";

export default function SignUpScreen() {
  const visitor = useVisitor();
  const [sent, setSent] = useState<string | null>(null);
  const resend = useSendVerification();
  if (sent !== null) {
    return (
      <CheckEmail
        email={sent}
        hint="To keep your password, open the link in this browser. In any other, you set a new one."
        lead="To finish signing up, open the link in the email that we sent to"
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
  if (visitor.data.user !== null) return <SignedInAlready email={visitor.data.user.email} />;
  const { signUp, starter } = visitor.data;
  return <SignUpForm lead={signUp === "closed" ? CLOSED : offer(starter)} onSent={setSent} />;
}

function SignUpForm({ lead, onSent }: { lead: string; onSent: (email: string) => void }) {
  const signUp = useSignUp();
  const form = useForm({ email: checkEmail, password: checkNewPassword }, async (texts) => {
    const email = texts.email.trim();
    await signUp.mutateAsync({ email, password: texts.password });
    onSent(email);
  });
  return (
    <SignInFrame title="Sign up" lead={lead}>
      <Providers next="/home" />
      <form onSubmit={(event) => void form.submit(event)} noValidate>
        <Problems fieldErrors={form.fieldErrors} error={form.error} attempt={form.attempt} />
        <EmailField {...form.field("email")} />
        <PasswordField {...form.field("password")} isNew label="Password" />
        <SubmitButton busy={form.busy} label="Sign up" busyLabel="Signing up" />
      </form>
      <div className="tb-sign-in-foot">
        <AgreementLine by="signing up" />
        <p>
          Already have an account? <Link to="/sign-in">Sign in</Link>
        </p>
      </div>
    </SignInFrame>
  );
}

const offer = ({ credits, days }: { credits: number; days: number }): string =>
  credits === 0
    ? "All you need is an email address and a password. Your first call is free."
    : `Your first call is free. You also get ${credits} credits that are valid for ${days} days.`;

/** Users whose account was created by the operator set their password through the same form. */
const CLOSED =
  "The operator of this service creates the accounts. If you have one, enter its email address and choose a password, and we will send you an email to confirm it. If not, ask the operator for an account.";

export const SignedInAlready = ({ email }: { email: string }) => (
  <SignInFrame title="You are already signed in" lead={<>Signed in as {email}.</>}>
    <div className="tb-sign-in-foot">
      <p>
        <Link to="/home">Go to your dashboard</Link>
      </p>
    </div>
  </SignInFrame>
);
