import { Button, List, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { UserView } from "#api/dashboard/shapes.ts";
import { useCloseAccount, useHome } from "../member-queries.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { focusInvalidField } from "../parts/focus.ts";
import { Failure } from "../parts/message.tsx";
import { counted } from "../parts/numbers.ts";
import { Section } from "../parts/section.tsx";
import { TitledDialog } from "../parts/titled-dialog.tsx";
import { leave } from "../sign-in/sign-out.ts";
import { Secret } from "./password-section.tsx";

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
  const dismiss = () => {
    if (!close.isPending) onClose();
  };
  return (
    <TitledDialog title="Close your account?" onClose={dismiss}>
      <ClosingEffects />
      <CloseForm user={user} close={close} onCancel={dismiss} />
    </TitledDialog>
  );
}

function ClosingEffects() {
  const home = useHome().data;
  return (
    <>
      <Text fw={600}>Deleted immediately and permanently</Text>
      <List size="sm" mt={4}>
        <List.Item>
          {home === undefined
            ? "Your API keys. Calls with them are rejected."
            : `Your ${counted(home.keys, "active API key")}. Calls with ${home.keys === 1 ? "it" : "them"} are rejected.`}
        </List.Item>
        <List.Item>
          {home === undefined
            ? "Your credits. They are not refunded."
            : `Your balance of ${counted(home.balance, "credit")}. It is not refunded.`}
        </List.Item>
        <List.Item>Your email address, password, linked sign-ins, sessions and activity.</List.Item>
      </List>
      <Text fw={600} mt="md">
        Kept
      </Text>
      <List size="sm" mt={4}>
        <List.Item>The records of calls and credits, without your name or email address.</List.Item>
        <List.Item>
          A one-way hash of your email address, so that signing up again does not grant the starter
          credits a second time.
        </List.Item>
      </List>
    </>
  );
}

type FieldErrors = { email?: string | undefined; password?: string | undefined };

function CloseForm(props: {
  user: UserView;
  close: ReturnType<typeof useCloseAccount>;
  onCancel: () => void;
}) {
  const { user, close } = props;
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [fieldErrors, setFieldErrors] = useState<FieldErrors>({});
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (close.isPending) return;
    const isSame = email.trim().toLowerCase() === user.email.toLowerCase();
    const found: FieldErrors = {
      email: isSame ? undefined : `Enter your email address as shown: ${user.email}`,
      password: user.hasPassword && password === "" ? "Enter your password." : undefined,
    };
    setFieldErrors(found);
    if (found.email !== undefined || found.password !== undefined) {
      return focusInvalidField(event.currentTarget);
    }
    const order = { email: email.trim(), password: user.hasPassword ? password : null };
    close.mutate(order, { onSuccess: () => leave("/") });
  };
  return (
    <form noValidate onSubmit={submit}>
      <TextInput
        mt="lg"
        label="Confirm your email address"
        description={user.email}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={email}
        error={fieldErrors.email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      {user.hasPassword && (
        <div className="tb-dialog-failure">
          <Secret
            label="Your password"
            autoComplete="current-password"
            value={password}
            error={fieldErrors.password}
            onChange={setPassword}
          />
        </div>
      )}
      {close.isError && (
        <div className="tb-dialog-failure">
          <Failure error={close.error} />
        </div>
      )}
      <div className="tb-dialog-foot">
        <Button variant="default" data-autofocus onClick={props.onCancel}>
          Keep account
        </Button>
        <BusyButton type="submit" color="red" busy={close.isPending} busyLabel="Closing">
          Close account permanently
        </BusyButton>
      </div>
    </form>
  );
}
