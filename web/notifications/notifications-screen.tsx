import { NumberInput, Switch, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import type { NotificationsView } from "#api/dashboard/shapes.ts";
import { GRANT_CREDITS_MAX } from "#limits.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { focusInvalidField } from "../parts/focus.ts";
import { Failure, Message } from "../parts/message.tsx";
import { counted, formatNumber } from "../parts/numbers.ts";
import { PageTitle } from "../parts/page-title.tsx";
import { LoadingRows } from "../parts/placeholders.tsx";
import { QueryResult } from "../parts/query-result.tsx";
import { useVisitor } from "../queries.ts";
import { useNotifications, useSaveNotifications } from "./notification-settings.ts";
import "./notifications.css";

export default function NotificationsScreen() {
  const notifications = useNotifications();
  const email = useVisitor().data?.user?.email;
  return (
    <>
      <PageTitle title="Notifications" />
      <Text c="dimmed" maw="44rem" mb="lg">
        We email {email === undefined ? "you" : <strong className="tb-break">{email}</strong>}{" "}
        before you run out of credits and API calls are rejected. You can change the address under{" "}
        <Link to="/settings/account">Account</Link>. To notify a program, add a{" "}
        <Link to="/settings/webhooks">webhook</Link>.
      </Text>
      <QueryResult query={notifications} loading={<LoadingRows rows={3} height={72} />}>
        {(view) => <NotificationsForm view={view} />}
      </QueryResult>
    </>
  );
}

type Threshold = string | number;

/** Returns a sentence about what is wrong with a threshold, or undefined if it is valid. */
export function thresholdError(value: Threshold): string | undefined {
  const isInteger = value !== "" && Number.isSafeInteger(Number(value));
  return isInteger && Number(value) >= 0 && Number(value) <= GRANT_CREDITS_MAX
    ? undefined
    : `Enter a whole number of credits from 0 to ${formatNumber(GRANT_CREDITS_MAX)}.`;
}

function NotificationsForm({ view }: { view: NotificationsView }) {
  const save = useSaveNotifications();
  const [lowBalance, setLowBalance] = useState<Threshold>(view.lowBalance);
  const [emails, setEmails] = useState(view.emails);
  const [error, setError] = useState<string | undefined>(undefined);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (save.isPending) return;
    const found = thresholdError(lowBalance);
    setError(found);
    if (found !== undefined) return focusInvalidField(event.currentTarget);
    save.mutate({ lowBalance: Number(lowBalance), emails });
  };
  const change = <Value,>(set: (value: Value) => void) => {
    return (value: Value) => {
      set(value);
      setError(undefined);
      // The message about the last save no longer applies.
      save.reset();
    };
  };
  return (
    <form className="tb-notifications" noValidate onSubmit={submit}>
      <NumberInput
        label="Alert me when my balance drops below"
        description="In credits. Enter 0 to be alerted only when no credits are left. This also applies to webhooks."
        value={lowBalance}
        error={error}
        min={0}
        max={GRANT_CREDITS_MAX}
        clampBehavior="none"
        allowDecimal={false}
        thousandSeparator=","
        classNames={{ wrapper: "tb-threshold" }}
        onChange={change((value: Threshold | bigint) =>
          setLowBalance(typeof value === "bigint" ? Number(value) : value),
        )}
      />
      <fieldset>
        <legend>Emails</legend>
        <Switch
          label="Low balance, and no credits left"
          checked={emails.low}
          onChange={(event) => change(setEmails)({ ...emails, low: event.currentTarget.checked })}
        />
        <Switch
          label="Credits expiring in 30 days and in 7 days"
          checked={emails.expiring}
          onChange={(event) =>
            change(setEmails)({ ...emails, expiring: event.currentTarget.checked })
          }
        />
        <Text size="sm" c="dimmed">
          We always email you about changes to your API keys, password and email address, to protect
          your account.
        </Text>
      </fieldset>
      {save.isError && <Failure error={save.error} />}
      <div role="status">
        {save.isSuccess && <Message tone="ok">{savedText(save.data)}</Message>}
      </div>
      <BusyButton type="submit" busy={save.isPending} busyLabel="Saving">
        Save
      </BusyButton>
    </form>
  );
}

function savedText({ lowBalance, emails }: NotificationsView): string {
  const condition =
    lowBalance === 0
      ? "when no credits are left"
      : `when your balance drops below ${counted(lowBalance, "credit")}`;
  return emails.low
    ? `Saved. We will email you ${condition}.`
    : `Saved. Only webhooks will be sent ${condition}.`;
}
