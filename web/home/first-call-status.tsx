import { Button, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { base } from "../addresses.ts";
import { toolsWithPage } from "../page-facts.ts";
import { clockText } from "../parts/numbers.ts";
import { State } from "../parts/state.tsx";
import type { FirstCall } from "./first-call.ts";
import type { SeenCall } from "./seen-calls.ts";
import "./first-steps.css";

/** Waits for the first call, then says that it came. One region, so that screen readers announce the change. */
export function FirstCallStatus(props: { call: FirstCall; wasFree: boolean }) {
  const { success, error } = props.call;
  return (
    <div
      className="tb-first-call"
      role="status"
      data-tone={success !== null ? "ok" : error !== null ? "warn" : "soft"}
    >
      {success !== null ? (
        <Success call={success} wasFree={props.wasFree} />
      ) : (
        <>
          {error !== null && <Rejected call={error} />}
          <p className="tb-waiting">
            <span className="tb-pulse" aria-hidden="true" />
            {error === null ? "Waiting for your first call…" : "Waiting for the next call…"}
          </p>
        </>
      )}
    </div>
  );
}

function Success({ call, wasFree }: { call: SeenCall; wasFree: boolean }) {
  return (
    <>
      <State shape="check" tone="ok" title={<strong>Your first call worked</strong>} />
      <Text size="sm" mt={4}>
        <code>{call.tool}</code> responded with {call.status} at {clockText(call.at)}.
        {wasFree && " It was free."} <MoreOf {...call} />
      </Text>
    </>
  );
}

function Rejected({ call }: { call: SeenCall }) {
  return (
    <div>
      <State shape="cross" tone="warn" title={<strong>A call was rejected</strong>} />
      <Text size="sm" mt={4}>
        <code>{call.tool}</code> responded with {call.status}
        {call.code !== null && (
          <>
            {" "}
            <a href={`${base()}/docs/errors#${call.code}`}>{call.code}</a>
          </>
        )}{" "}
        at {clockText(call.at)}. It did not cost a credit.
      </Text>
    </div>
  );
}

/** Where the user sees more of this call. */
const MoreOf = ({ requestId }: SeenCall) =>
  requestId === null ? (
    <Link to="/usage">View your usage</Link>
  ) : (
    <a href={`${base()}/requests?id=${encodeURIComponent(requestId)}`}>View this request</a>
  );

/** What to do after the first call. */
export const NextStep = () =>
  toolsWithPage().length > 0 ? (
    <Button renderRoot={(props) => <Link to="/tools" {...props} />}>Explore the tools</Button>
  ) : (
    <Button component="a" href={`${base()}/docs`}>
      Read the documentation
    </Button>
  );
