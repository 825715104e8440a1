import { Button, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { UserView } from "#api/dashboard/shapes.ts";
import { counted } from "#counted.ts";
import { useCloseAccount, useHome } from "../member-queries.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import { PLAIN_INPUT } from "../parts/plain-input.ts";
import { Section } from "../parts/section.tsx";
import { leave } from "../sign-in/sign-out.ts";

export function CloseAccount({ user }: { user: UserView }) {
  const [open, setOpen] = useState(false);
  return (
    <Section beside title="Close account">
      <div className="tb-danger">
        <Text>
          Closing your account cannot be undone. Your API keys stop working immediately, you lose
          your credits, and your personal data is deleted.
        </Text>
        <div className="tb-account-actions">
          <Button variant="default" c="var(--tb-bad)" onClick={() => setOpen(true)}>
            Close account…
          </Button>
        </div>
      </div>
      {open && <CloseDialog user={user} onClose={() => setOpen(false)} />}
    </Section>
  );
}

function CloseDialog({ user, onClose }: { user: UserView; onClose: () => void }) {
  const close = useCloseAccount();
  const [email, setEmail] = useState("");
  const isSame = email.trim().toLowerCase() === user.email.toLowerCase();
  return (
    <FormDialog
      title="Close your account?"
      change={close}
      action={["Close account permanently", "Closing"]}
      danger="Keep account"
      isValid={isSame}
      onClose={onClose}
      onSubmit={() =>
        close.mutate({ email: email.trim() }, { onSuccess: () => leave("/sign-in?closed=yes") })
      }
    >
      {(isSubmitted) => (
        <>
          <ClosingEffects />
          <TextInput
            mt="lg"
            label="Confirm your email address"
            description={user.email}
            {...PLAIN_INPUT}
            value={email}
            error={isSubmitted && !isSame && `Enter your email address as shown: ${user.email}`}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
        </>
      )}
    </FormDialog>
  );
}

function ClosingEffects() {
  const home = useHome().data;
  return (
    <>
      <Text fw={600}>Deleted immediately and permanently</Text>
      <ul className="tb-bullets">
        <li>
          {home === undefined || home.keys === 0
            ? "Your API keys. Calls with them are rejected."
            : `Your ${counted(home.keys, "active API key")}. Calls with ${home.keys === 1 ? "it" : "them"} are rejected.`}
        </li>
        <li>
          {home === undefined
            ? "Your credits. They are not refunded."
            : `Your balance of ${counted(home.balance, "credit")}. It is not refunded.`}
        </li>
        <li>Your email address, passkeys, linked sign-ins, sessions and activity.</li>
      </ul>
      <Text fw={600} mt="md">
        Kept
      </Text>
      <ul className="tb-bullets">
        <li>The records of calls and credits, without your name or email address.</li>
        <li>
          A one-way hash of your email address, so that signing up again does not grant the starter
          credits a second time.
        </li>
      </ul>
    </>
  );
}
