import { Button, Text, VisuallyHidden } from "@mantine/core";
import { useState } from "react";
import type { SessionView } from "#api/dashboard/shapes.ts";
import { BusyButton } from "../parts/busy-button.tsx";
import { Failure } from "../parts/failure.tsx";
import { LoadingRows } from "../parts/loading.tsx";
import { LedgerEvent } from "../parts/message.tsx";
import { type Column, Records } from "../parts/records.tsx";
import { ApiResponse, Section } from "../parts/section.tsx";
import { State } from "../parts/state.tsx";
import { Time } from "../parts/time.tsx";
import { useEndSession, useSessions } from "../queries.ts";
import { useSignOut } from "../sign-in/requests.ts";
import { browserName } from "./user-agent.ts";

/** Where the account is signed in, and how to end that. */
export function SessionList() {
  const sessions = useSessions();
  const end = useEndSession();
  const [said, setSaid] = useState("");
  const endOne = ({ id, userAgent }: SessionView) =>
    end.mutate(id, { onSuccess: () => setSaid(`Ended: ${browserName(userAgent)}.`) });
  const endOthers = () =>
    end.mutate("others", { onSuccess: () => setSaid("All other sessions are ended.") });
  return (
    <Section
      title="Sessions"
      description="The browsers that are signed in to your account. End what you do not know, and then change your password."
    >
      <ApiResponse query={sessions} loading={<LoadingRows rows={3} height={56} />}>
        {(view) => (
          <>
            <Records
              label="Sessions"
              columns={COLUMNS}
              rows={view.sessions}
              actions={(session) =>
                !session.current && (
                  <Button size="xs" variant="default" onClick={() => endOne(session)}>
                    End<VisuallyHidden>&nbsp;{browserName(session.userAgent)}</VisuallyHidden>
                  </Button>
                )
              }
            />
            <SessionActions
              alone={view.sessions.every(({ current }) => current)}
              busy={end.isPending && end.variables === "others"}
              onEndOthers={endOthers}
            />
          </>
        )}
      </ApiResponse>
      <div role="status">{said !== "" && !end.isError && <Said text={said} />}</div>
      {end.isError && <Failure error={end.error} />}
    </Section>
  );
}

const Said = ({ text }: { text: string }) => (
  <div className="tb-account-actions">
    <LedgerEvent tone="ok">{text}</LedgerEvent>
  </div>
);

const COLUMNS: Column<SessionView>[] = [
  {
    head: "Browser",
    cell: ({ userAgent, current }) => (
      <>
        {browserName(userAgent)}
        {current && (
          <div>
            <State shape="check" tone="ok">
              This session
            </State>
          </div>
        )}
      </>
    ),
  },
  {
    head: "Network address",
    cell: ({ address }) => <span className="tb-address">{address ?? "Unknown"}</span>,
  },
  { head: "Signed in", cell: ({ createdAt }) => <Time at={createdAt} /> },
  { head: "Last seen", cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
];

/** Everywhere includes here: the others first, because afterwards there is no session to ask with. */
function SessionActions(props: { alone: boolean; busy: boolean; onEndOthers: () => void }) {
  const end = useEndSession();
  const signOut = useSignOut();
  const everywhere = () => end.mutate("others", { onSuccess: () => signOut.mutate() });
  return (
    <>
      <div className="tb-account-actions">
        {!props.alone && (
          <BusyButton
            variant="default"
            busy={props.busy}
            busyWords="Ending"
            onClick={props.onEndOthers}
          >
            End all other sessions
          </BusyButton>
        )}
        <BusyButton
          variant="default"
          busy={end.isPending || signOut.isPending}
          busyWords="Signing out"
          onClick={everywhere}
        >
          Sign out everywhere
        </BusyButton>
      </div>
      {(end.isError || signOut.isError) && (
        <>
          <Failure error={end.error ?? signOut.error} />
          <Text size="sm">You are still signed in here.</Text>
        </>
      )}
    </>
  );
}
