import { Box, Button, Text } from "@mantine/core";
import { useState } from "react";
import type { KeyView } from "#api/dashboard/shapes.ts";
import type { FirstCall } from "../home/first-call.ts";
import { FirstCallStatus, NextStep } from "../home/first-call-status.tsx";
import { sampleCall } from "../home/sample-call.ts";
import { useSecretChange } from "../member-queries.ts";
import { service } from "../page-facts.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { copyLater } from "../parts/clipboard.ts";
import { codeOf, LanguageTabs, useLanguage } from "../parts/language-tabs.tsx";
import { useWarningBeforeLeaving } from "../parts/leaving.ts";
import { Message } from "../parts/message.tsx";
import { LeaveDialog } from "../parts/secret-dialog.tsx";
import { SecretField } from "../parts/secret-field.tsx";
import { TitledDialog } from "../parts/titled-dialog.tsx";
import { queryKeys } from "../queries.ts";
import { mayBeDone, request } from "../request.ts";
import { KeyFailure } from "./restriction.tsx";
import { createReveal, FIRST_LABEL, type Revealed } from "./reveal-key.ts";
import "./keys.css";

/** As long as a key (`accounts/key-format.ts`), so that nothing moves when it is revealed. */
const masked = () => `${service().keyPrefix}${"•".repeat(56)}`;

export type FirstKeyDialogProps = {
  apiUrl: string;
  /** The key that gets a new secret; null: a new key is made. */
  replaced: KeyView | null;
  call: FirstCall;
  /** Whether the first call costs nothing. */
  freeCall: boolean;
  onClose: () => void;
};

/**
 * Makes the first key when the user presses Reveal, without a form, and waits for the first call. The secret is in the memory of this
 * dialog only, and gone when it is closed.
 */
export default function FirstKeyDialog(props: FirstKeyDialogProps) {
  const { apiUrl, call, onClose } = props;
  const [language, setLanguage] = useLanguage();
  const [replaced, setReplaced] = useState(props.replaced);
  const [wasFree] = useState(props.freeCall);
  const [isFound, setIsFound] = useState(false);
  const [isCopied, setIsCopied] = useState(false);
  const [leaving, setLeaving] = useState(false);
  const [revealOnce] = useState(() => createReveal(request));
  const reveal = useSecretChange(revealOnce, [queryKeys.keys, queryKeys.home, queryKeys.events]);

  const { data } = reveal;
  const secret = data !== undefined && "created" in data ? data.created.secret : null;
  // A copied key is out of this page already, and a used one too.
  const isSafe = secret === null || isCopied || call.success !== null;
  useWarningBeforeLeaving(!isSafe, () => setLeaving(true));
  const close = () => {
    if (reveal.isPending) return;
    if (isSafe) onClose();
    else setLeaving(!leaving);
  };
  function press() {
    const pending = reveal.mutateAsync(replaced);
    const code = pending.then((revealed) => {
      if (!("created" in revealed)) throw new Error("There is no secret yet");
      return codeOf(language, sampleCall(apiUrl, revealed.created.secret, service()));
    });
    void copyLater(code).then(setIsCopied);
    pending.then(ask, () => {}); // The mutation has the error.
  }
  function ask(revealed: Revealed) {
    if ("created" in revealed) return;
    setReplaced(revealed.found);
    setIsFound(true);
  }
  if (leaving && secret !== null) {
    return (
      <LeaveDialog
        name="key"
        lost="Otherwise you will have to get a new secret for it."
        onStay={() => setLeaving(false)}
        onClose={onClose}
      />
    );
  }
  return (
    <TitledDialog title={titleOf(call, secret)} wide onClose={close}>
      <Lead replaced={replaced} isFound={isFound} isShown={secret !== null} isCopied={isCopied} />
      <SecretField
        label="Your API key"
        secret={secret}
        masked={masked()}
        copyLabel="Copy the key"
      />
      <div className="tb-first-key-code">
        <LanguageTabs
          call={sampleCall(apiUrl, secret ?? masked(), service())}
          isCopyable={secret !== null}
          language={language}
          onLanguage={setLanguage}
        />
      </div>
      {reveal.isError && <RevealFailure error={reveal.error} />}
      {secret !== null && <FirstCallStatus call={call} wasFree={wasFree} />}
      <div className="tb-dialog-foot">
        {secret === null ? (
          <>
            <Button variant="default" onClick={close}>
              Not now
            </Button>
            <BusyButton data-autofocus busy={reveal.isPending} busyLabel="Creating" onClick={press}>
              Reveal and copy
            </BusyButton>
          </>
        ) : (
          <>
            <Button variant={call.success === null ? "filled" : "default"} onClick={close}>
              Done
            </Button>
            {call.success !== null && <NextStep />}
          </>
        )}
      </div>
    </TitledDialog>
  );
}

function titleOf({ success }: FirstCall, secret: string | null): string {
  if (success !== null) return "You are set up";
  return secret === null ? "Your first API key" : "Make your first call";
}

function Lead(props: {
  replaced: KeyView | null;
  isFound: boolean;
  isShown: boolean;
  isCopied: boolean;
}) {
  const { replaced, isShown, isCopied } = props;
  if (isShown) {
    return (
      <Text>
        {isCopied ? "The call is copied, with your key in it. " : ""}
        This is the only time that the key is shown, so store it where you keep your secrets.
      </Text>
    );
  }
  if (replaced === null) {
    return (
      <Text>
        Reveal creates a key named <strong>{FIRST_LABEL}</strong>, shows it once, and copies the
        call below with the key in it.
      </Text>
    );
  }
  return (
    <>
      {props.isFound && (
        <Message tone="warn" live title="A key already exists.">
          It was created in another tab, or its secret never arrived here.
        </Message>
      )}
      <Text mt={props.isFound ? "sm" : 0}>
        <strong>{replaced.label}</strong> has not been used yet. Reveal gives it a new secret. The
        old one stops working immediately.
      </Text>
    </>
  );
}

function RevealFailure({ error }: { error: unknown }) {
  return (
    <Box mt="md">
      <KeyFailure error={error} />
      {mayBeDone(error) && (
        <Text size="sm" mt="xs">
          The key may exist, but its secret did not arrive. Reveal again: if it exists, it gets a
          new secret, and no second key is created.
        </Text>
      )}
    </Box>
  );
}
