import { Switch, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useState } from "react";
import type { NotificationsView } from "#api/dashboard/shapes.ts";
import { counted, formatNumber } from "#counted.ts";
import { GRANT_CREDITS_MAX } from "#limits.ts";
import { Failure, Message } from "../parts/message.tsx";
import { wholeNumberIn } from "../parts/numbers.ts";
import { PageTitle } from "../parts/page-title.tsx";
import { LoadingRows } from "../parts/placeholders.tsx";
import { QueryResult } from "../parts/query-result.tsx";
import { queryKeys, useResponse, useVisitor } from "../queries.ts";
import { request } from "../request.ts";
import "./notifications.css";

export default function NotificationsScreen() {
  const notifications = useResponse<NotificationsView>(
    queryKeys.notifications,
    "/dashboard/notifications",
  );
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

/** The number that was typed; null if it is not a valid threshold. */
function thresholdIn(text: string): number | null {
  const credits = wholeNumberIn(text);
  return credits !== null && credits <= GRANT_CREDITS_MAX ? credits : null;
}

/** Saves run one after the other, in the order of the changes. */
function useSave() {
  const client = useQueryClient();
  return useMutation({
    scope: { id: "notifications" },
    mutationFn: (order: NotificationsView) =>
      request<NotificationsView>("PUT", "/dashboard/notifications", order),
    onSuccess: (view) => client.setQueryData(queryKeys.notifications, view),
    onSettled() {
      // The banner about a low balance follows the alert level.
      for (const queryKey of [queryKeys.notifications, queryKeys.home, queryKeys.visitor])
        void client.invalidateQueries({ queryKey });
    },
  });
}

/** How long typing pauses before the threshold is saved. Leaving the field or Enter saves at once. */
const TYPING_PAUSE_MS = 1_000;

/**
 * Every change is saved by itself and can be undone. Saves run one after the other, so the last change wins. Shown is what is being saved, else
 * what the service has: another tab may have changed it, and a save may have failed.
 */
function NotificationsForm({ view }: { view: NotificationsView }) {
  const save = useSave();
  const wanted = save.isPending ? save.variables : view;
  /** The threshold while it is edited. */
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? formatNumber(wanted.lowBalance);
  const [before, setBefore] = useState<NotificationsView | null>(null);
  const threshold = thresholdIn(text);
  const [showError, setShowError] = useState(false);
  const apply = (next: NotificationsView, undoTo: NotificationsView | null) => {
    setTyped(null);
    setBefore(undoTo);
    save.mutate(next);
  };
  const saveThreshold = () => {
    setShowError(true);
    if (threshold === null) return;
    if (threshold === wanted.lowBalance) setTyped(null);
    else apply({ ...wanted, lowBalance: threshold }, wanted);
  };
  useTypingPause(typed, saveThreshold);
  const choose = (emails: Partial<NotificationsView["emails"]>) =>
    apply({ ...wanted, emails: { ...wanted.emails, ...emails } }, wanted);
  return (
    <div className="tb-notifications">
      <TextInput
        label="Alert me when my balance drops below"
        description="In credits. Enter 0 to be alerted only when no credits are left. This also applies to webhooks."
        inputMode="numeric"
        autoComplete="off"
        value={text}
        error={
          showError &&
          threshold === null &&
          `Enter a whole number of credits from 0 to ${formatNumber(GRANT_CREDITS_MAX)}.`
        }
        classNames={{ wrapper: "tb-threshold" }}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setShowError(false);
        }}
        onBlur={saveThreshold}
        onKeyDown={(event) => {
          if (event.key === "Enter") saveThreshold();
        }}
      />
      <fieldset>
        <legend>Emails</legend>
        <div className="tb-switches">
          <Switch
            labelPosition="left"
            label="Low balance, and no credits left"
            checked={wanted.emails.low}
            onChange={(event) => choose({ low: event.currentTarget.checked })}
          />
          <Switch
            labelPosition="left"
            label="Credits expiring in 30 days and in 7 days"
            checked={wanted.emails.expiring}
            onChange={(event) => choose({ expiring: event.currentTarget.checked })}
          />
        </div>
        <Text size="sm" c="dimmed">
          We always email you about changes to your API keys, passkeys and email address, to protect
          your account.
        </Text>
      </fieldset>
      {save.isError && <Failure error={save.error} hint="Your last change was not saved." />}
      <div role="status" className="tb-saved">
        {save.isPending && <Message tone="soft">Saving</Message>}
        {save.isSuccess && (
          <Message
            tone="ok"
            action={
              before !== null && (
                <button type="button" className="tb-link" onClick={() => apply(before, null)}>
                  Undo
                </button>
              )
            }
          >
            {savedText(save.data)}
          </Message>
        )}
      </div>
    </div>
  );
}

/** Calls `onPause` once typing has paused. */
function useTypingPause(typed: string | null, onPause: () => void): void {
  const pause = useEffectEvent(onPause);
  useEffect(() => {
    if (typed === null) return;
    const timer = setTimeout(() => pause(), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
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
