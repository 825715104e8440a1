import { Navigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { BusyButton } from "../parts/buttons.tsx";
import { Gate } from "../parts/empty-state.tsx";
import type { IconName } from "../parts/icon.tsx";
import { Failure } from "../parts/message.tsx";
import { PageTitle } from "../parts/page-title.tsx";
import type { SendState } from "../queries.ts";

/** The narrow column of the pages for signing in. */
export const SignInFrame = ({
  title,
  lead,
  waitsFor,
  done = false,
  children,
}: {
  title: string;
  lead?: ReactNode;
  /** What the page waits for, before the barrier. Not for pages that the server draws: the heading would move. */
  waitsFor?: IconName;
  /** Shows the barrier rising. */
  done?: boolean;
  children?: ReactNode;
}) => (
  <div className="tb-sign-in">
    {(done || waitsFor !== undefined) && <Gate icon={waitsFor ?? "check"} raised={done} />}
    <PageTitle title={title} />
    {lead !== undefined && <div className="tb-lead tb-break">{lead}</div>}
    {children}
  </div>
);

/** The button of a page that an email links to. Opening the page does nothing, because mail scanners open links too. */
export const ConfirmForm = (props: {
  change: SendState;
  action: readonly [label: string, busyLabel: string];
  onSubmit: () => void;
}) => (
  <form
    onSubmit={(event) => {
      event.preventDefault();
      if (!props.change.isPending) props.onSubmit();
    }}
  >
    {props.change.isError && <Failure error={props.change.error} />}
    <BusyButton type="submit" size="md" busy={props.change.isPending} busyLabel={props.action[1]}>
      {props.action[0]}
    </BusyButton>
  </form>
);

/** Opens the dialog that makes the first key (`web/home/first-steps.tsx`). */
const FIRST_KEY = "/home#first-key";

/**
 * Opens the page that the user wanted before signing in. `next`: its path, with query string and fragment. A new account gets its first
 * key before anything else.
 */
export function RedirectToNext({ next, isNew = false }: { next: string; isNew?: boolean }) {
  const target = isNew && next === "/home" ? FIRST_KEY : next;
  const { pathname, searchParams, hash } = new URL(target, location.origin);
  return (
    <Navigate
      to={pathname}
      search={Object.fromEntries(searchParams)}
      hash={hash.slice(1)}
      replace
    />
  );
}
