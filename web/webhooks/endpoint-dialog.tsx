import { Button, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { EndpointSecretView, EndpointView, LedgerEventKind } from "#api/dashboard/shapes.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { focusInvalidField } from "../parts/focus.ts";
import { Failure } from "../parts/message.tsx";
import { TitledDialog } from "../parts/titled-dialog.tsx";
import { ProblemDetails } from "../request.ts";
import { useAddEndpoint, useChangeEndpoint } from "./endpoints.ts";
import { EVENT_LABELS, KINDS } from "./webhook-text.ts";

type Props = {
  /** Null to add a new endpoint. */
  endpoint: EndpointView | null;
  onClose: () => void;
  onAdded: (made: EndpointSecretView) => void;
  onDone: (message: string) => void;
};

/** Adds or edits an endpoint. The service checks whether the URL is allowed. */
export function EndpointDialog({ endpoint, onClose, onAdded, onDone }: Props) {
  const add = useAddEndpoint();
  const change = useChangeEndpoint();
  const mutation = endpoint === null ? add : change;
  const dismiss = () => {
    if (!mutation.isPending) onClose();
  };
  const send = (url: string, kinds: LedgerEventKind[]) => {
    if (endpoint === null) {
      add.mutate({ url, kinds, paused: false }, { onSuccess: onAdded });
    } else {
      change.mutate({ ...endpoint, url, kinds }, { onSuccess: () => onDone("Endpoint saved.") });
    }
  };
  return (
    <TitledDialog
      title={endpoint === null ? "Add webhook endpoint" : "Edit webhook endpoint"}
      onClose={dismiss}
    >
      <EndpointForm endpoint={endpoint} mutation={mutation} onSend={send} onCancel={dismiss} />
    </TitledDialog>
  );
}

type FieldErrors = { url?: string | undefined; kinds?: string | undefined };

function fieldErrorsOf(url: string, kinds: LedgerEventKind[]): FieldErrors {
  return {
    url: URL.canParse(url)
      ? undefined
      : "Enter a complete URL, such as https://example.com/webhooks.",
    kinds: kinds.length === 0 ? "Choose at least one event." : undefined,
  };
}

function EndpointForm(props: {
  endpoint: EndpointView | null;
  mutation: { isPending: boolean; error: unknown };
  onSend: (url: string, kinds: LedgerEventKind[]) => void;
  onCancel: () => void;
}) {
  const { endpoint, mutation } = props;
  const [url, setUrl] = useState(endpoint?.url ?? "");
  const [kinds, setKinds] = useState<LedgerEventKind[]>(endpoint?.kinds ?? KINDS);
  const [fieldErrors, setFieldErrors] = useState<FieldErrors>({});
  /** The URL that was sent last, of which the service may say what is wrong. */
  const [sent, setSent] = useState("");
  const rejected = urlProblemOf(mutation.error);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (mutation.isPending) return;
    const found = fieldErrorsOf(url.trim(), kinds);
    setFieldErrors(found);
    if (found.url !== undefined || found.kinds !== undefined) {
      return focusInvalidField(event.currentTarget);
    }
    setSent(url);
    props.onSend(url.trim(), kinds);
  };
  return (
    <form noValidate onSubmit={submit}>
      <TextInput
        type="url"
        inputMode="url"
        label="URL"
        description="An https URL that accepts POST requests."
        placeholder="https://example.com/webhooks"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        value={url}
        error={fieldErrors.url ?? (url === sent ? rejected : undefined)}
        onChange={(event) => {
          setUrl(event.currentTarget.value);
          setFieldErrors({});
        }}
      />
      <Kinds
        chosen={kinds}
        error={fieldErrors.kinds}
        onChange={(next) => {
          setKinds(next);
          setFieldErrors({});
        }}
      />
      {mutation.error !== null && rejected === undefined && (
        <div className="tb-dialog-failure">
          <Failure error={mutation.error} />
        </div>
      )}
      <div className="tb-dialog-foot">
        <Button variant="default" onClick={props.onCancel}>
          Cancel
        </Button>
        <BusyButton type="submit" busy={mutation.isPending} busyLabel="Saving">
          {endpoint === null ? "Add endpoint" : "Save"}
        </BusyButton>
      </div>
    </form>
  );
}

const urlProblemOf = (error: unknown): string | undefined =>
  error instanceof ProblemDetails && error.code === "invalid_url" ? error.detail : undefined;

function Kinds(props: {
  chosen: LedgerEventKind[];
  error: string | undefined;
  onChange: (kinds: LedgerEventKind[]) => void;
}) {
  const { chosen, error } = props;
  return (
    <fieldset className="tb-kinds">
      <legend>Events</legend>
      {KINDS.map((kind) => (
        <div key={kind} className="tb-kind">
          <input
            type="checkbox"
            id={`tb-${kind}`}
            checked={chosen.includes(kind)}
            aria-invalid={error !== undefined}
            aria-describedby={`tb-${kind}-name${error === undefined ? "" : " tb-kinds-error"}`}
            onChange={({ currentTarget: { checked } }) =>
              props.onChange(
                KINDS.filter((each) => (each === kind ? checked : chosen.includes(each))),
              )
            }
          />
          <label htmlFor={`tb-${kind}`}>{EVENT_LABELS[kind]}</label>
          <code id={`tb-${kind}-name`}>{kind}</code>
        </div>
      ))}
      {error !== undefined && (
        <p id="tb-kinds-error" className="tb-kinds-error">
          {error}
        </p>
      )}
    </fieldset>
  );
}
