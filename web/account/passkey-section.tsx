import { Button, Switch, VisuallyHidden } from "@mantine/core";
import type { PasskeysView, PasskeyView, Visitor } from "#api/dashboard/shapes.ts";
import { screenOf } from "../frame/screen-of.ts";
import { usePasskeys, useSignInChange } from "../member-queries.ts";
import { Failure, Message } from "../parts/message.tsx";
import { LoadingRows } from "../parts/placeholders.tsx";
import { QueryResult } from "../parts/query-result.tsx";
import { type Column, Records } from "../parts/records.tsx";
import { Section } from "../parts/section.tsx";
import { Time } from "../parts/time.tsx";
import { useDialog } from "../parts/use-dialog.tsx";
import { passkeyObstacle } from "../passkey-obstacle.tsx";
import { request } from "../request.ts";
import type { OpenPasskeyDialog } from "./passkey-dialogs.tsx";

/** With the code for passkeys. */
const PasskeyDialog = screenOf(() => import("./passkey-dialogs.tsx"));

export function PasskeySection({ visitor }: { visitor: Visitor }) {
  const passkeys = usePasskeys();
  const { show, status, dialog } = useDialog(PasskeyDialog, { isPart: true });
  return (
    <Section
      title="Passkeys"
      description="A passkey signs you in with a fingerprint, your face or a PIN. Your device, your browser or a security key keeps it."
    >
      <QueryResult query={passkeys} loading={<LoadingRows rows={3} height={56} />}>
        {(view) => (
          <>
            <Passkeys view={view} visitor={visitor} onOpen={show} />
            {view.passkeys.length > 0 && <Requirement view={view} />}
          </>
        )}
      </QueryResult>
      {status}
      {dialog}
    </Section>
  );
}

const COLUMNS: Column<PasskeyView>[] = [
  { head: "Name", cell: ({ name }) => <span className="tb-break">{name}</span> },
  { head: "Added", cell: ({ createdAt }) => (createdAt === null ? "–" : <Time at={createdAt} />) },
  {
    head: "Last used",
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? "Never" : <Time at={lastUsedAt} />),
  },
];

function Passkeys(props: {
  view: PasskeysView;
  visitor: Visitor;
  onOpen: (open: OpenPasskeyDialog) => void;
}) {
  const { view, onOpen } = props;
  const obstacle = passkeyObstacle(props.visitor);
  const button = (kind: "rename" | "remove", label: string, passkey: PasskeyView) => (
    <Button size="xs" variant="default" onClick={() => onOpen({ kind, passkey })}>
      {label}
      <VisuallyHidden>&nbsp;{passkey.name}</VisuallyHidden>
    </Button>
  );
  return (
    <>
      {view.passkeys.length > 0 && (
        <Records
          label="Passkeys"
          columns={COLUMNS}
          rows={view.passkeys}
          actions={(passkey) => (
            <>
              {button("rename", "Rename", passkey)}
              {button("remove", "Remove", passkey)}
            </>
          )}
        />
      )}
      {obstacle !== null && <Message tone="soft">{obstacle}</Message>}
      {obstacle === null && view.passkeys.length < view.passkeysMax && (
        <div className="tb-account-actions">
          <Button variant="default" onClick={() => onOpen({ kind: "add" })}>
            Add passkey
          </Button>
        </div>
      )}
    </>
  );
}

/** An attacker in the mailbox then gets no further; a user who loses every passkey needs the operator. */
function Requirement({ view: { requiresPasskey, passkeys } }: { view: PasskeysView }) {
  const change = useSignInChange((requiresPasskey: boolean) =>
    request<object>("PUT", "/dashboard/passkeys/required", { requiresPasskey }),
  );
  return (
    <div className="tb-account-actions">
      <Switch
        label="Require a passkey"
        description={
          passkeys.length === 1
            ? "Codes, links and linked sign-ins then do not sign you in. Add a second passkey first: if you lose your only one, the operator has to help."
            : "Codes, links and linked sign-ins then do not sign you in. If you lose all your passkeys, the operator has to help."
        }
        checked={change.isPending ? change.variables : requiresPasskey}
        onChange={({ currentTarget: { checked } }) => !change.isPending && change.mutate(checked)}
      />
      {change.isError && <Failure error={change.error} />}
    </div>
  );
}
