import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { FactorAdded, TotpSetupView } from "#api/dashboard/shapes.ts";
import { drawQrSvg } from "#tools/qr-code/draw.ts";
import { encodeQr } from "#tools/qr-code/encode-qr.ts";
import { useFactorChange } from "../member-queries.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { CodeField } from "../parts/factor-fields.tsx";
import { focusInvalidField } from "../parts/focus.ts";
import { Failure } from "../parts/message.tsx";
import { LoadingRows } from "../parts/placeholders.tsx";
import { QueryResult } from "../parts/query-result.tsx";
import { SecretField } from "../parts/secret-field.tsx";
import { TitledDialog } from "../parts/titled-dialog.tsx";
import { queryKeys } from "../queries.ts";
import { request } from "../request.ts";
import { RecoveryCodeList } from "./recovery-codes.tsx";

type DialogProps = { onClose: () => void; onDone: (message: string) => void };

const QR_WIDTH = 208;
const DONE = "Authenticator app set up. From now on, signing in asks for its code.";

/** Shows the secret as a QR code and in text, and asks for a first code. */
export function TotpDialog({ onClose, onDone }: DialogProps) {
  const [codes, setCodes] = useState<string[] | null>(null);
  const done = () => onDone(DONE);
  if (codes !== null) {
    return (
      <TitledDialog title="Store your recovery codes now" onClose={done}>
        <RecoveryCodeList codes={codes} onClose={done} />
      </TitledDialog>
    );
  }
  return (
    <TitledDialog title="Set up authenticator app" onClose={onClose}>
      <Setup
        onClose={onClose}
        onConfirmed={(recoveryCodes) => (recoveryCodes === null ? done() : setCodes(recoveryCodes))}
      />
    </TitledDialog>
  );
}

function Setup(props: { onClose: () => void; onConfirmed: (codes: string[] | null) => void }) {
  const setup = useQuery({
    queryKey: queryKeys.totpSetup,
    queryFn: () => request<TotpSetupView>("POST", "/dashboard/factors/totp", {}),
    // Every request starts over with another secret.
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  return (
    <QueryResult query={setup} loading={<LoadingRows rows={4} height={56} />}>
      {(view) => <SetupForm setup={view} {...props} />}
    </QueryResult>
  );
}

function SetupForm(props: {
  setup: TotpSetupView;
  onClose: () => void;
  onConfirmed: (codes: string[] | null) => void;
}) {
  const { setup } = props;
  const [code, setCode] = useState("");
  const [isSubmitted, setIsSubmitted] = useState(false);
  const confirm = useFactorChange((code: string) =>
    request<FactorAdded>("POST", "/dashboard/factors/totp/confirm", { code }),
  );
  const isComplete = /^\d{6}$/.test(code.replaceAll(/\s/g, ""));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setIsSubmitted(true);
    if (!isComplete) return focusInvalidField(event.currentTarget);
    if (confirm.isPending) return;
    confirm.mutate(code, { onSuccess: ({ recoveryCodes }) => props.onConfirmed(recoveryCodes) });
  };
  return (
    <form noValidate onSubmit={submit}>
      <Text size="sm">1. Scan this QR code with your authenticator app, or enter the key.</Text>
      <QrPicture text={setup.uri} />
      <SecretField label="Key" secret={setup.secret} copyLabel="Copy the key" takesFocus={false} />
      <Text size="sm" mt="lg" mb="xs">
        2. Enter the code that the app shows.
      </Text>
      <CodeField
        kind="totp"
        value={code}
        error={isSubmitted && !isComplete ? "Enter the 6 digits that your app shows." : undefined}
        onChange={setCode}
      />
      {confirm.isError && (
        <div className="tb-dialog-failure">
          <Failure error={confirm.error} />
        </div>
      )}
      <div className="tb-dialog-foot">
        <Button variant="default" onClick={props.onClose}>
          Cancel
        </Button>
        <BusyButton type="submit" busy={confirm.isPending} busyLabel="Checking">
          Confirm
        </BusyButton>
      </div>
    </form>
  );
}

/** Drawn here, so that the secret leaves the page for no image service. On white, because scanners need it. */
function QrPicture({ text }: { text: string }) {
  const symbol = encodeQr(text, "M");
  if (symbol === undefined) return null;
  const source = `data:image/svg+xml,${encodeURIComponent(drawQrSvg(symbol, QR_WIDTH))}`;
  return (
    <img
      className="tb-totp-qr"
      src={source}
      alt="QR code of the key"
      width={QR_WIDTH}
      height={QR_WIDTH}
    />
  );
}

export function RemoveTotpDialog(props: DialogProps) {
  const remove = useFactorChange(() => request<object>("DELETE", "/dashboard/factors/totp"));
  return (
    <TitledDialog title="Remove authenticator app?" onClose={props.onClose}>
      <Text>
        Its codes stop working. Without a passkey, signing in then needs no second factor, and your
        recovery codes are deleted.
      </Text>
      {remove.isError && (
        <div className="tb-dialog-failure">
          <Failure error={remove.error} />
        </div>
      )}
      <div className="tb-dialog-foot">
        <Button variant="default" data-autofocus onClick={props.onClose}>
          Keep authenticator app
        </Button>
        <BusyButton
          color="red"
          busy={remove.isPending}
          busyLabel="Removing"
          onClick={() =>
            remove.mutate(undefined, {
              onSuccess: () => props.onDone("Authenticator app removed."),
            })
          }
        >
          Remove authenticator app
        </BusyButton>
      </div>
    </TitledDialog>
  );
}
