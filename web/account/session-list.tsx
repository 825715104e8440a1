import { Button, Text, VisuallyHidden } from "@mantine/core";
import { useState } from "react";
import { browserName } from "#accounts/browser-name.ts";
import type { SessionView } from "#api/dashboard/shapes.ts";
import { useEndSession, useSessions } from "../member-queries.ts";
import { BusyButton } from "../parts/buttons.tsx";
import { Failure, Message } from "../parts/message.tsx";
import { LoadingRows } from "../parts/placeholders.tsx";
import { QueryResult } from "../parts/query-result.tsx";
import { type Column, Records } from "../parts/records.tsx";
import { Section } from "../parts/section.tsx";
import { State } from "../parts/state.tsx";
import { Time } from "../parts/time.tsx";
import { useSend } from "../queries.ts";
import { useSignOut } from "../sign-in/sign-out.ts";

/** The browsers that are signed in, with buttons to sign them out. */
export function SessionList() {
  const sessions = useSessions();
  const end = useEndSession();
  const [message, setMessage] = useState("");
  const endOne = ({ id, userAgent }: SessionView) =>
    end.mutate(id, {
      onSuccess: () => setMessage(`Session ended: ${nameOf(userAgent)}.`),
    });
  const endOthers = () =>
    end.mutate("others", { onSuccess: () => setMessage("All other sessions ended.") });
  return (
    <Section
      title="Sessions"
      description="The browsers that are signed in to your account. If one of them is not yours, end its session."
    >
      <QueryResult query={sessions} loading={<LoadingRows rows={3} height={56} />}>
        {(view) => (
          <>
            <Records
              label="Sessions"
              columns={COLUMNS}
              rows={view.sessions}
              actionsWidth="9rem"
              actions={(session) =>
                !session.current && (
                  <Button size="xs" variant="default" onClick={() => endOne(session)}>
                    End session
                    <VisuallyHidden>&nbsp;{nameOf(session.userAgent)}</VisuallyHidden>
                  </Button>
                )
              }
            />
            <SessionActions
              isOnlySession={view.sessions.every(({ current }) => current)}
              busy={end.isPending && end.variables === "others"}
              onEndOthers={endOthers}
            />
          </>
        )}
      </QueryResult>
      <div role="status">
        {message !== "" && !end.isError && (
          <div className="tb-account-actions">
            <Message tone="ok">{message}</Message>
          </div>
        )}
      </div>
      {end.isError && <Failure error={end.error} />}
    </Section>
  );
}

const nameOf = (userAgent: string | null) => browserName(userAgent) ?? "Unknown browser";

const COLUMNS: Column<SessionView>[] = [
  {
    head: "Browser",
    cell: ({ userAgent, current }) => (
      <>
        {nameOf(userAgent)}
        {current && (
          <div>
            <State shape="check" tone="ok" title="This session" />
          </div>
        )}
      </>
    ),
  },
  {
    head: "IP address",
    width: "11.5rem",
    cell: ({ address }) => <span className="tb-ip">{address ?? "Unknown"}</span>,
  },
  {
    head: "Signed in",
    drop: "second",
    width: "12rem",
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
  { head: "Last seen", width: "12rem", cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
];

/**
 * Signing out everywhere ends the other sessions first, because that request needs the current session. It is one order, which is carried
 * out if the user leaves the page meanwhile too.
 */
function SessionActions(props: { isOnlySession: boolean; busy: boolean; onEndOthers: () => void }) {
  const { mutateAsync: end } = useEndSession();
  const { mutateAsync: signOut } = useSignOut();
  const everywhere = useSend({
    async mutationFn() {
      await end("others");
      await signOut();
    },
  });
  return (
    <>
      <div className="tb-account-actions">
        {!props.isOnlySession && (
          <BusyButton
            variant="default"
            busy={props.busy}
            busyLabel="Ending"
            onClick={props.onEndOthers}
          >
            End all other sessions
          </BusyButton>
        )}
        <BusyButton
          variant="default"
          busy={everywhere.isPending}
          busyLabel="Signing out"
          onClick={() => everywhere.mutate()}
        >
          Sign out everywhere
        </BusyButton>
      </div>
      {everywhere.isError && (
        <>
          <Failure error={everywhere.error} />
          <Text size="sm">You are still signed in here.</Text>
        </>
      )}
    </>
  );
}
