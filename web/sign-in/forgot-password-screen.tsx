import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { CheckMail } from "./check-mail.tsx";
import { checkEmail } from "./error-text.ts";
import { EmailField, SubmitButton } from "./fields.tsx";
import { Problems } from "./problems.tsx";
import { useRequestReset } from "./requests.ts";
import { SignInFrame } from "./sign-in-frame.tsx";
import { useForm } from "./use-form.ts";

export default function ForgotPasswordScreen() {
  const [sentTo, setSentTo] = useState<string | null>(null);
  const request = useRequestReset();
  const form = useForm({ email: checkEmail }, async (texts) => {
    const email = texts.email.trim();
    await request.mutateAsync(email);
    setSentTo(email);
  });
  if (sentTo !== null) {
    return (
      <CheckMail
        email={sentTo}
        what="If there is an account for it, a letter with a link to a new password goes to"
        send={request}
        onBack={() => setSentTo(null)}
      />
    );
  }
  return (
    <SignInFrame
      title="Forgotten password"
      lead="Tell us your e-mail address. We send you a link with which you choose a new password."
    >
      <form onSubmit={(event) => void form.submit(event)} noValidate>
        <Problems faults={form.faults} error={form.error} attempt={form.attempt} />
        <EmailField {...form.field("email")} />
        <SubmitButton busy={form.busy} words="Send the link" busyWords="Sending" />
      </form>
      <div className="tb-door-foot">
        <p>
          <Link to="/sign-in">Back to sign in</Link>
        </p>
      </div>
    </SignInFrame>
  );
}
