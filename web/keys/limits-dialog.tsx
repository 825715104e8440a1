import { Button, Text } from "@mantine/core";
import { useState } from "react";
import type { KeyView } from "#api/dashboard/shapes.ts";
import { useChangeKey } from "../member-queries.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { focusInvalidField } from "../parts/focus.ts";
import { Failure } from "../parts/message.tsx";
import { TitledDialog } from "../parts/titled-dialog.tsx";
import { limitPhrases } from "./key-text.ts";
import { draftOf, errorsOf, type KeyBounds, orderOf } from "./limits-draft.ts";
import { LimitFields } from "./limits-form.tsx";

/** Edits the limits of a key. The form shows what its budgets have spent. */
export function LimitsDialog(props: {
  apiKey: KeyView;
  bounds: KeyBounds;
  onClose: () => void;
  onDone: (message: string) => void;
}) {
  const { apiKey, bounds } = props;
  const { id, label, limits } = apiKey;
  const change = useChangeKey();
  const [now] = useState(Date.now);
  const [before] = useState(() => draftOf(limits, bounds));

  const [draft, setDraft] = useState(before);
  const [isSubmitted, setIsSubmitted] = useState(false);
  const errors = errorsOf(draft, before, bounds, now);
  const dismiss = () => {
    if (!change.isPending) props.onClose();
  };
  const submit = (form: HTMLFormElement) => {
    setIsSubmitted(true);
    if (Object.keys(errors).length > 0) return focusInvalidField(form);
    if (change.isPending) return;
    change.mutate(
      { id, limits: orderOf(draft, before, limits, now) },
      { onSuccess: ({ key }) => props.onDone(savedText(key, now)) },
    );
  };
  return (
    <TitledDialog onClose={dismiss} title={`Limits of “${label}”`}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit(event.currentTarget);
        }}
      >
        <Text size="sm" c="dimmed" mb="lg">
          Changes apply to the next call with this key, also when you raise or remove a limit that
          rejects its calls.
        </Text>
        <LimitFields
          draft={draft}
          errors={isSubmitted ? errors : {}}
          bounds={bounds}
          limits={limits}
          now={now}
          onChange={setDraft}
        />
        {change.isError && (
          <div className="tb-dialog-failure">
            <Failure error={change.error} />
          </div>
        )}
        <div className="tb-dialog-foot">
          <Button variant="default" onClick={dismiss}>
            Cancel
          </Button>
          <BusyButton type="submit" busy={change.isPending} busyLabel="Saving">
            Save limits
          </BusyButton>
        </div>
      </form>
    </TitledDialog>
  );
}

function savedText({ label, limits }: KeyView, now: number): string {
  const phrases = limitPhrases(limits, now);
  return phrases.length === 0
    ? `Key “${label}” has no limits of its own any more.`
    : `Limits of “${label}” saved: ${phrases.join(" · ")}.`;
}
