import { Button, List, Text, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { PersonView } from "#api/dashboard/shapes.ts";
import { BusyButton } from "../parts/busy-button.tsx";
import { Failure } from "../parts/failure.tsx";
import { focusFault } from "../parts/focus-fault.ts";
import { counted } from "../parts/numbers.ts";
import { Section } from "../parts/section.tsx";
import { TitledDialog } from "../parts/titled-dialog.tsx";
import { useCloseAccount, useHome } from "../queries.ts";
import { leave } from "../sign-in/requests.ts";
import { Secret } from "./password-part.tsx";

export function CloseAccount({ person }: { person: PersonView }) {
  const [open, setOpen] = useState(false);
  return (
    <Section title="Close the account">
      <div className="tb-danger">
        <Text>
          Closing is final: your keys stop at once, your credits are lost, and your personal data is
          deleted.
        </Text>
        <div className="tb-account-actions">
          <Button variant="default" c="var(--tb-bad)" onClick={() => setOpen(true)}>
            Close the account…
          </Button>
        </div>
      </div>
      {open && <CloseDialog person={person} onClose={() => setOpen(false)} />}
    </Section>
  );
}

function CloseDialog({ person, onClose }: { person: PersonView; onClose: () => void }) {
  const close = useCloseAccount();
  const dismiss = () => {
    if (!close.isPending) onClose();
  };
  return (
    <TitledDialog title="Close this account?" onClose={dismiss}>
      <WhatGoes />
      <CloseForm person={person} close={close} onCancel={dismiss} />
    </TitledDialog>
  );
}

function WhatGoes() {
  const home = useHome().data;
  return (
    <>
      <Text fw={600}>What goes, at once and for good</Text>
      <List size="sm" mt={4}>
        <List.Item>
          {home === undefined
            ? "Your API keys: calls with them are refused."
            : `Your ${counted(home.keys, "active key")}: calls with them are refused.`}
        </List.Item>
        <List.Item>
          {home === undefined
            ? "Your credits; they are not paid back."
            : `Your balance of ${counted(home.balance, "credit")}; it is not paid back.`}
        </List.Item>
        <List.Item>
          Your e-mail address, password, linked sign-ins, sessions and activity.
        </List.Item>
      </List>
      <Text fw={600} mt="md">
        What stays
      </Text>
      <List size="sm" mt={4}>
        <List.Item>The figures of calls and credits, without your name or address.</List.Item>
        <List.Item>
          A code made from your address that cannot be turned back, so that signing up again brings
          no second starter credits.
        </List.Item>
      </List>
    </>
  );
}

type Faults = { email?: string | undefined; password?: string | undefined };

function CloseForm(props: {
  person: PersonView;
  close: ReturnType<typeof useCloseAccount>;
  onCancel: () => void;
}) {
  const { person, close } = props;
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [faults, setFaults] = useState<Faults>({});
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (close.isPending) return;
    const same = email.trim().toLowerCase() === person.email.toLowerCase();
    const found: Faults = {
      email: same ? undefined : `Type your address as it stands here: ${person.email}`,
      password: person.hasPassword && password === "" ? "Enter your password." : undefined,
    };
    setFaults(found);
    if (found.email !== undefined || found.password !== undefined) {
      return focusFault(event.currentTarget);
    }
    const order = { email: email.trim(), password: person.hasPassword ? password : null };
    close.mutate(order, { onSuccess: () => leave("/") });
  };
  return (
    <form noValidate onSubmit={submit}>
      <TextInput
        mt="lg"
        label="Your e-mail address, to confirm"
        description={person.email}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        value={email}
        error={faults.email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      {person.hasPassword && (
        <div className="tb-dialog-failure">
          <Secret
            label="Your password"
            autoComplete="current-password"
            value={password}
            fault={faults.password}
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
          Keep the account
        </Button>
        <BusyButton type="submit" color="red" busy={close.isPending} busyWords="Closing">
          Close it for good
        </BusyButton>
      </div>
    </form>
  );
}
