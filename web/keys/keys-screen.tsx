import { Button, Text } from "@mantine/core";
import { useEffect, useState } from "react";
import type { KeyView } from "#api/dashboard/shapes.ts";
import { KEYS_PER_ACCOUNT_MAX } from "#limits.ts";
import { Message } from "../parts/message.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import { Empty, LoadingRows } from "../parts/placeholders.tsx";
import { QueryResult } from "../parts/query-result.tsx";
import { useKeys, useVisitor } from "../queries.ts";
import { CreateDialog } from "./create-dialog.tsx";
import { ActiveKeys, RevokedKeys } from "./key-list.tsx";
import "./keys.css";
import { RenameDialog } from "./rename-dialog.tsx";
import {
  type Restriction,
  RestrictionMessage,
  restrictionIn,
  restrictionOf,
} from "./restriction.tsx";
import { RevokeDialog } from "./revoke-dialog.tsx";

type Open = { dialog: "create" } | { dialog: "rename" | "revoke"; key: KeyView };

export default function KeysScreen() {
  const keys = useKeys();
  const person = useVisitor().data?.person;
  const [open, setOpen] = useState<Open | null>(null);
  const [said, setMessage] = useState<string | null>(null);
  // The row of a changed key, with the button that had the focus, may be elsewhere or gone.
  useEffect(() => {
    if (said !== null) document.querySelector<HTMLElement>("main h1")?.focus();
  }, [said]);
  const refused = restrictionIn(keys.error);
  const restriction = restrictionOf(person) ?? refused;
  const active = keys.data?.keys.filter(({ revokedAt }) => revokedAt === null);
  const full = (active?.length ?? 0) >= KEYS_PER_ACCOUNT_MAX;
  const create = () => {
    setMessage(null);
    setOpen({ dialog: "create" });
  };
  const show = (dialog: "rename" | "revoke") => (key: KeyView) => {
    setMessage(null);
    setOpen({ dialog, key });
  };
  return (
    <>
      <PageTitle title="API keys">
        {restriction === null && (active?.length ?? 0) > 0 && (
          <Button onClick={create} disabled={full}>
            Create key
          </Button>
        )}
      </PageTitle>
      <Text c="dimmed" maw="44rem" mb="lg">
        A key signs each call to the API and uses the credits of your account. Make one for each
        environment, keep it out of source code, and revoke what you no longer use.
      </Text>
      <div role="status" className="tb-said">
        {said !== null && <Message tone="ok">{said}</Message>}
      </div>
      {refused !== null && (
        <Refused known={restrictionOf(person)} refused={refused} onCreate={create} />
      )}
      {full && <FullNotification />}
      {refused === null && (
        <div className="tb-keys">
          <QueryResult query={keys} loading={<LoadingRows rows={4} height={56} />}>
            {(data) => (
              <KeyLists
                keys={data.keys}
                restriction={restriction}
                onCreate={create}
                onRename={show("rename")}
                onRevoke={show("revoke")}
              />
            )}
          </QueryResult>
        </div>
      )}
      {open !== null && (
        <OpenDialog open={open} onClose={() => setOpen(null)} onMessage={setMessage} />
      )}
    </>
  );
}

/** The frame says it already where it knows; what it knows may be older than the refusal. */
const Refused = (props: {
  known: Restriction | null;
  refused: Restriction;
  onCreate: () => void;
}) =>
  props.known === props.refused ? (
    <NoKeys restriction={props.refused} revoked={false} onCreate={props.onCreate} />
  ) : (
    <RestrictionMessage restriction={props.refused} />
  );

const FullNotification = () => (
  <Message
    tone="warn"
    title={`You have ${KEYS_PER_ACCOUNT_MAX} keys, as many as an account can hold.`}
  >
    Revoke one that you no longer use to create another.
  </Message>
);

function KeyLists(props: {
  keys: KeyView[];
  restriction: Restriction | null;
  onCreate: () => void;
  onRename: (key: KeyView) => void;
  onRevoke: (key: KeyView) => void;
}) {
  const active = props.keys.filter(({ revokedAt }) => revokedAt === null);
  const revoked = props.keys.filter(({ revokedAt }) => revokedAt !== null);
  return (
    <>
      {active.length > 0 ? (
        <ActiveKeys keys={active} onRename={props.onRename} onRevoke={props.onRevoke} />
      ) : (
        <NoKeys {...props} revoked={revoked.length > 0} />
      )}
      <RevokedKeys keys={revoked} />
    </>
  );
}

function NoKeys(props: {
  restriction: Restriction | null;
  revoked: boolean;
  onCreate: () => void;
}) {
  if (props.restriction === "email_not_verified") {
    return <Empty title="No keys yet">Confirm your e-mail address, then create one here.</Empty>;
  }
  const action =
    props.restriction === null ? <Button onClick={props.onCreate}>Create a key</Button> : undefined;
  return (
    <Empty title={props.revoked ? "No active keys" : "No keys yet"} action={action}>
      {props.revoked
        ? "All your keys are revoked. Create one to call the API again."
        : "Create a key to make your first call. It takes a moment."}
    </Empty>
  );
}

function OpenDialog(props: { open: Open; onClose: () => void; onMessage: (said: string) => void }) {
  const { open, onClose } = props;
  if (open.dialog === "create") return <CreateDialog onClose={onClose} />;
  const done = (said: string) => {
    onClose();
    props.onMessage(said);
  };
  return open.dialog === "rename" ? (
    <RenameDialog apiKey={open.key} onClose={onClose} onDone={done} />
  ) : (
    <RevokeDialog apiKey={open.key} onClose={onClose} onDone={done} />
  );
}
