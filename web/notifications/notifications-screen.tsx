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
  const events = useNotifications();
  const email = useVisitor().data?.person?.email;
  return (
    <>
      <PageTitle title="Notices" />
      <Text c="dimmed" maw="44rem" mb="lg">
        We write to {email === undefined ? "you" : <strong className="tb-break">{email}</strong>}{" "}
        before calls are refused for want of credits, once each time. You can change that address
        under <Link to="/settings/account">Account</Link>. To have a program told, add a{" "}
        <Link to="/settings/webhooks">webhook</Link>.
      </Text>
      <QueryResult query={events} loading={<LoadingRows rows={3} height={72} />}>
        {(view) => <NotificationsForm view={view} />}
      </QueryResult>
    </>
  );
}

type Threshold = string | number;

/** What is wrong with a threshold; undefined where it is good. */
export function thresholdError(value: Threshold): string | undefined {
  const isWhole = value !== "" && Number.isSafeInteger(Number(value));
  return isWhole && Number(value) >= 0 && Number(value) <= GRANT_CREDITS_MAX
    ? undefined
    : `Enter a whole number of credits from 0 to ${formatNumber(GRANT_CREDITS_MAX)}.`;
}

function NotificationsForm({ view }: { view: NotificationsView }) {
  const choose = useSaveNotifications();
  const [lowBalance, setLowBalance] = useState<Threshold>(view.lowBalance);
  const [emails, setEmails] = useState(view.emails);
  const [error, setError] = useState<string | undefined>(undefined);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (choose.isPending) return;
    const found = thresholdError(lowBalance);
    setError(found);
    if (found !== undefined) return focusInvalidField(event.currentTarget);
    choose.mutate({ lowBalance: Number(lowBalance), emails });
  };
  const change = <Value,>(set: (value: Value) => void) => {
    return (value: Value) => {
      set(value);
      setError(undefined);
      // What was said of the choice before no longer holds.
      choose.reset();
    };
  };
  return (
    <form className="tb-notices" noValidate onSubmit={submit}>
      <NumberInput
        label="Low balance"
        description="The balance counts as low when it is below so many credits. With 0 you are told only when none are left. Webhooks go by it too."
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
        <legend>Letters</legend>
        <Switch
          label="When the balance is low, and when no credits are left"
          checked={emails.low}
          onChange={(event) => change(setEmails)({ ...emails, low: event.currentTarget.checked })}
        />
        <Switch
          label="30 days and 7 days before credits expire"
          checked={emails.expiring}
          onChange={(event) =>
            change(setEmails)({ ...emails, expiring: event.currentTarget.checked })
          }
        />
        <Text size="sm" c="dimmed">
          Letters about your keys, your password and your address always come: they keep the account
          yours.
        </Text>
      </fieldset>
      {choose.isError && <Failure error={choose.error} />}
      <div role="status">
        {choose.isSuccess && <Message tone="ok">{savedText(choose.data)}</Message>}
      </div>
      <BusyButton type="submit" busy={choose.isPending} busyLabel="Saving">
        Save
      </BusyButton>
    </form>
  );
}

function savedText({ lowBalance, emails }: NotificationsView): string {
  const level =
    lowBalance === 0
      ? "Saved. You are told when no credits are left."
      : `Saved. The balance counts as low below ${counted(lowBalance, "credit")}.`;
  return emails.low ? level : `${level} Only webhooks tell of it, if you have one.`;
}
