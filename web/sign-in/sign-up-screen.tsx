import { Link, Navigate } from "@tanstack/react-router";
import { useState } from "react";
import { signUpLead } from "#site/sign-up-lead.ts";
import { AgreementLine } from "../parts/legal-links.tsx";
import { useVisitor } from "../queries.ts";
import { useSignInElsewhere } from "./await-sign-in.ts";
import { CheckEmail } from "./check-email.tsx";
import { checkEmail, checkNewPassword } from "./field-checks.ts";
import { EmailField, PasswordField, SubmitButton } from "./fields.tsx";
import { knownAddress } from "./known-address.ts";
import { useOffer } from "./offer.ts";
import { Problems } from "./problems.tsx";
import { Providers } from "./providers.tsx";
import { useSendVerification, useSignUp } from "./requests.ts";
import { SignInFrame } from "./sign-in-frame.tsx";
import { useForm } from "./use-form.ts";

export default function SignUpScreen() {
  const user = useVisitor().data?.user ?? null;
  const [sentTo, setSentTo] = useState<string | null>(null);
  if (sentTo !== null) return <Waiting email={sentTo} onBack={() => setSentTo(null)} />;
  if (user !== null) return <SignedInAlready email={user.email} />;
  return <SignUpForm onSent={setSentTo} />;
}

/** Goes on to the dashboard when the address is confirmed in another tab of this browser. */
function Waiting({ email, onBack }: { email: string; onBack: () => void }) {
  const resend = useSendVerification();
  const user = useVisitor().data?.user ?? null;
  useSignInElsewhere();
  if (user !== null) return <Navigate to="/home" replace />;
  return (
    <CheckEmail
      email={email}
      hint="Open it in this browser to be signed in at once. In any other, you set a new password."
      lead="To finish signing up, open the link in the email that we sent to"
      send={resend}
      onBack={onBack}
    />
  );
}

function SignUpForm({ onSent }: { onSent: (email: string) => void }) {
  const signUp = useSignUp();
  const offer = useOffer();
  const form = useForm(
    { email: checkEmail, password: checkNewPassword },
    async (texts) => {
      const email = texts.email.trim();
      knownAddress.set(email);
      await signUp.mutateAsync({ email, password: texts.password });
      onSent(email);
    },
    { email: knownAddress.get() },
  );
  return (
    <SignInFrame title="Sign up" lead={signUpLead(offer)}>
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

export const SignedInAlready = ({ email }: { email: string }) => (
  <SignInFrame title="You are already signed in" lead={<>Signed in as {email}.</>}>
    <div className="tb-sign-in-foot">
      <p>
        <Link to="/home">Go to your dashboard</Link>
      </p>
    </div>
  </SignInFrame>
);
