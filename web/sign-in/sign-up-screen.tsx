import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { signUpLead } from "#site/sign-up-lead.ts";
import { useVisitor } from "../queries.ts";
import { CheckEmail } from "./check-email.tsx";
import { checkEmail, checkNewPassword } from "./field-checks.ts";
import { EmailField, PasswordField, SubmitButton } from "./fields.tsx";
import { useOffer } from "./offer.ts";
import { Problems } from "./problems.tsx";
import { Providers } from "./providers.tsx";
import { useSendVerification, useSignUp } from "./requests.ts";
import { SignInFrame } from "./sign-in-frame.tsx";
import { useForm } from "./use-form.ts";

export default function SignUpScreen() {
  const visitor = useVisitor();
  const [sent, setSent] = useState<string | null>(null);
  const offer = useOffer();
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
  const user = visitor.data?.user ?? null;
  if (user !== null) return <SignedInAlready email={user.email} />;
  return <SignUpForm lead={signUpLead(offer)} onSent={setSent} />;
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
        <p>
          Already have an account? <Link to="/sign-in">Sign in</Link>
        </p>
      </div>
    </SignInFrame>
  );
}

export const SignedInAlready = ({ email }: { email: string }) => (
  <SignInFrame title="You are already signed in" lead={<>Signed in as {email}.</>}>
    <div className="tb-sign-in-foot">
      <p>
        <Link to="/home">Go to your dashboard</Link>
      </p>
    </div>
  </SignInFrame>
);
