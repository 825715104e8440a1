import { Button, Text, VisuallyHidden } from "@mantine/core";
import { Suspense, useState } from "react";
import type { FactorsView, PasskeyView, Visitor } from "#api/dashboard/shapes.ts";
import { screenOf } from "../frame/screen-of.ts";
import { useFactors } from "../member-queries.ts";
import { Message } from "../parts/message.tsx";
import { LoadingRows } from "../parts/placeholders.tsx";
import { QueryResult } from "../parts/query-result.tsx";
import { type Column, Records } from "../parts/records.tsx";
import { Section } from "../parts/section.tsx";
import { State } from "../parts/state.tsx";
import { Time } from "../parts/time.tsx";
import { passkeyObstacle } from "../passkey-obstacle.ts";
import type { Open } from "./factor-dialogs.tsx";

/** Loaded when it is opened: its code for QR codes and passkeys is half of the page's. */
const FactorDialog = screenOf(() => import("./factor-dialogs.tsx"));

/** Below this number the page points out that few recovery codes are left. */
const FEW_CODES = 3;

/** Passkeys, the authenticator app and the recovery codes. */
export function SecuritySection({ visitor }: { visitor: Visitor }) {
  const factors = useFactors();
  const [open, setOpen] = useState<Open | null>(null);
  const [message, setMessage] = useState("");
  const close = () => setOpen(null);
  const done = (text: string) => {
    close();
    setMessage(text);
  };
  return (
    <Section
      title="Security"
      description="A passkey signs you in without a password. As soon as you have a passkey or an authenticator app, signing in with a password or a provider also asks for one of them."
    >
      <QueryResult query={factors} loading={<LoadingRows rows={3} height={56} />}>
        {(view) => (
          <>
            <Passkeys view={view} visitor={visitor} onOpen={setOpen} />
            <AuthenticatorApp view={view} onOpen={setOpen} />
            <RecoveryCodes view={view} onOpen={setOpen} />
          </>
        )}
      </QueryResult>
      <div role="status">
        {message !== "" && (
          <div className="tb-account-actions">
            <Message tone="ok">{message}</Message>
          </div>
        )}
      </div>
      {open !== null && (
        <Suspense>
          <FactorDialog open={open} onClose={close} onDone={done} />
        </Suspense>
      )}
    </Section>
  );
}

type PartProps = { view: FactorsView; onOpen: (open: Open) => void };

const COLUMNS: Column<PasskeyView>[] = [
  { head: "Name", cell: ({ name }) => <span className="tb-address">{name}</span> },
  { head: "Added", cell: ({ createdAt }) => (createdAt === null ? "–" : <Time at={createdAt} />) },
  {
    head: "Last used",
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? "Never" : <Time at={lastUsedAt} />),
  },
];

function Passkeys({ view, visitor, onOpen }: PartProps & { visitor: Visitor }) {
  const obstacle = passkeyObstacle(visitor);
  const isFull = view.passkeys.length >= view.passkeysMax;
  return (
    <div className="tb-factor">
      <h3>Passkeys</h3>
      <Text c="dimmed" size="sm">
        Kept by your device, your browser or a security key, and unlocked with a fingerprint, your
        face or a PIN.
      </Text>
      {view.passkeys.length > 0 && (
        <Records
          label="Passkeys"
          columns={COLUMNS}
          rows={view.passkeys}
          actions={(passkey) => (
            <>
              <Button
                size="xs"
                variant="default"
                onClick={() => onOpen({ kind: "rename-passkey", passkey })}
              >
                Rename
                <VisuallyHidden>&nbsp;{passkey.name}</VisuallyHidden>
              </Button>
              <Button
                size="xs"
                variant="default"
                onClick={() => onOpen({ kind: "remove-passkey", passkey })}
              >
                Remove
                <VisuallyHidden>&nbsp;{passkey.name}</VisuallyHidden>
              </Button>
            </>
          )}
        />
      )}
      {obstacle !== null && <Message tone="soft">{obstacle}</Message>}
      {obstacle === null && !isFull && (
        <div className="tb-account-actions">
          <Button variant="default" onClick={() => onOpen({ kind: "add-passkey" })}>
            Add passkey
          </Button>
        </div>
      )}
    </div>
  );
}

function AuthenticatorApp({ view, onOpen }: PartProps) {
  return (
    <div className="tb-factor">
      <h3>Authenticator app</h3>
      <Text c="dimmed" size="sm">
        An app on your phone that shows a new 6-digit code every 30 seconds.
      </Text>
      <div className="tb-factor-state">
        {view.totp ? (
          <State shape="check" tone="ok">
            Set up
          </State>
        ) : (
          <State shape="empty" tone="soft">
            Not set up
          </State>
        )}
      </div>
      <div className="tb-account-actions">
        {view.totp ? (
          <Button variant="default" onClick={() => onOpen({ kind: "remove-totp" })}>
            Remove authenticator app…
          </Button>
        ) : (
          <Button variant="default" onClick={() => onOpen({ kind: "add-totp" })}>
            Set up authenticator app
          </Button>
        )}
      </div>
    </div>
  );
}

function RecoveryCodes({ view, onOpen }: PartProps) {
  if (!view.totp && view.passkeys.length === 0) return null;
  const left = view.recoveryCodesLeft;
  return (
    <div className="tb-factor">
      <h3>Recovery codes</h3>
      <Text c="dimmed" size="sm">
        Each code signs you in once, together with your password or provider, if you lose your
        passkeys and your phone.
      </Text>
      <div className="tb-factor-state">
        {left >= FEW_CODES ? (
          `${left} codes left`
        ) : (
          <Message tone="warn">
            {left === 0
              ? "You have no recovery code left. Create new ones, so that you are not locked out."
              : `Only ${left} recovery ${left === 1 ? "code is" : "codes are"} left. Create new ones.`}
          </Message>
        )}
      </div>
      <div className="tb-account-actions">
        <Button variant="default" onClick={() => onOpen({ kind: "replace-codes" })}>
          Create new recovery codes…
        </Button>
      </div>
    </div>
  );
}
