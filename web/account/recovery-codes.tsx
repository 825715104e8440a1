import { Button, Group, Text } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import type { FactorAdded } from "#api/dashboard/shapes.ts";
import { useFactorChange } from "../member-queries.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { CopyButton } from "../parts/code-block.tsx";
import { DownloadButton } from "../parts/download-button.tsx";
import { Failure } from "../parts/message.tsx";
import { TitledDialog } from "../parts/titled-dialog.tsx";
import { request } from "../request.ts";

const FILE = "toolbooth-recovery-codes.txt";

/** Shows new recovery codes, once. */
export function RecoveryCodeList(props: { codes: string[]; onClose: () => void }) {
  const list = useRef<HTMLUListElement>(null);
  // What had the focus was removed.
  useEffect(() => list.current?.focus(), []);
  useWarningBeforeUnload();
  const text = `${props.codes.join("\n")}\n`;
  return (
    <>
      <Text>
        This is the only time that these codes are shown. Store them apart from your phone and your
        computer: print them, or keep them in a password manager. Each works once.
      </Text>
      <ul ref={list} className="tb-recovery-codes" aria-label="Recovery codes" tabIndex={-1}>
        {props.codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <Group gap="xs">
        <CopyButton text={text} label="Copy the recovery codes" />
        <DownloadButton content={text} type="text/plain" file={FILE} plain />
      </Group>
      <div className="tb-dialog-foot">
        <Button onClick={props.onClose}>I have stored them</Button>
      </div>
    </>
  );
}

export function ReplaceRecoveryCodesDialog(props: {
  onClose: () => void;
  onDone: (message: string) => void;
}) {
  const [codes, setCodes] = useState<string[] | null>(null);
  const replace = useFactorChange(() =>
    request<FactorAdded>("POST", "/dashboard/factors/recovery-codes", {}),
  );
  if (codes !== null) {
    const done = () => props.onDone("New recovery codes created. The old ones no longer work.");
    return (
      <TitledDialog title="Store your recovery codes now" onClose={done}>
        <RecoveryCodeList codes={codes} onClose={done} />
      </TitledDialog>
    );
  }
  return (
    <TitledDialog title="Create new recovery codes?" onClose={props.onClose}>
      <Text>Your current recovery codes stop working.</Text>
      {replace.isError && (
        <div className="tb-dialog-failure">
          <Failure error={replace.error} />
        </div>
      )}
      <div className="tb-dialog-foot">
        <Button variant="default" data-autofocus onClick={props.onClose}>
          Cancel
        </Button>
        <BusyButton
          busy={replace.isPending}
          busyLabel="Creating"
          onClick={() =>
            replace.mutate(undefined, {
              onSuccess: ({ recoveryCodes }) => setCodes(recoveryCodes ?? []),
            })
          }
        >
          Create new codes
        </BusyButton>
      </div>
    </TitledDialog>
  );
}

/** Closing or reloading the tab would lose the codes. */
function useWarningBeforeUnload() {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warn);
    return () => window.removeEventListener("beforeunload", warn);
  }, []);
}
