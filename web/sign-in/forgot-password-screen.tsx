import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { CheckEmail } from "./check-email.tsx";
import { checkEmail } from "./field-checks.ts";
import { EmailField, SubmitButton } from "./fields.tsx";
import { knownAddress } from "./known-address.ts";
import { Problems } from "./problems.tsx";
import { useRequestReset } from "./requests.ts";
import { SignInFrame } from "./sign-in-frame.tsx";
import { useForm } from "./use-form.ts";

export default function ForgotPasswordScreen() {
  const [sentTo, setSentTo] = useState<string | null>(null);
  const request = useRequestReset();
  const form = useForm(
    { email: checkEmail },
    async (texts) => {
      const email = texts.email.trim();
      await request.mutateAsync(email);
      setSentTo(email);
    },
    { email: knownAddress.get() },
  );
  if (sentTo !== null) {
    return (
      <CheckEmail
        email={sentTo}
        lead="If you have an account, we have sent a password reset link to"
        send={request}
        onBack={() => setSentTo(null)}
      />
    );
  }
  return (
    <SignInFrame
      title="Forgot password?"
      lead="Enter your email address, and we will send you a link to choose a new password."
    >
      <form onSubmit={(event) => void form.submit(event)} noValidate>
        <Problems fieldErrors={form.fieldErrors} error={form.error} attempt={form.attempt} />
        <EmailField {...form.field("email")} />
        <SubmitButton busy={form.busy} label="Send reset link" busyLabel="Sending" />
      </form>
      <div className="tb-sign-in-foot">
        <p>
          <Link to="/sign-in">Back to sign in</Link>
        </p>
      </div>
    </SignInFrame>
  );
}
