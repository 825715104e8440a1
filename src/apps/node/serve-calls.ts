import { setImmediate as nextTurn } from "node:timers/promises";
import { describeThrown } from "#calls/call-errors.ts";
import {
  type PreparedCall,
  runTool,
  type Sources,
  type ToolJob,
  type ToolResponse,
} from "#calls/run-tool.ts";
import { ApiError, type ErrorCode, type ProblemDetails } from "#errors.ts";
import type { Tool } from "#tools/define-tool.ts";

/** What a thread of tools (`tool-threads.ts`) is told about calls, what it says of them, and how it makes a response. */

/**
 * A call by its number, and for one that is paid before it runs, how that ended. `abort`: the call's time is over.
 */
export type ToServing =
  | { kind: "call"; call: number; job: ToolJob }
  | { kind: "go"; call: number; callId: string }
  | { kind: "stop"; call: number }
  | { kind: "abort"; call: number };

export type FromServing =
  | { kind: "ready" }
  /** The tool has been told that the time of a call is over. */
  | { kind: "aborted" }
  /** A line for the log. */
  | { kind: "log"; message: string; callId: string }
  | ({ call: number } & FromCall);

export type FromCall =
  /** The input of a call that is paid before it runs has been checked. */
  | { kind: "prepared"; prepared: PreparedCall }
  | { kind: "response"; response: ToolResponse }
  /** The input is wrong, or the service behind the tool has failed: `cause` is for the log. */
  | { kind: "fault"; fault: ThreadFault; cause: string | null }
  /** The tool is. */
  | { kind: "failed"; cause: string };

/** An API error as data, because thrown errors lose their fields between threads. */
type ThreadFault = {
  code: ErrorCode;
  message: string;
  details: Omit<ProblemDetails, "cause">;
};

/** Characters. Such a text costs less as it is than as bytes. */
const SHORT_TEXT = 16 * 1024;

/** Never rejects. */
export async function respond(tool: Tool, job: ToolJob, sources: Sources): Promise<FromCall> {
  try {
    const { body: made, ...rest } = await runTool(tool, job, sources);
    // A short text leaves the server together with the head of its response; a long one is made into bytes here rather than there.
    const isLong = typeof made === "string" && made.length > SHORT_TEXT;
    const body = isLong ? new TextEncoder().encode(made) : made;
    // A rejection that nobody handles ends the thread at the end of this turn, and with it this call.
    await nextTurn();
    return { kind: "response", response: { ...rest, body } };
  } catch (error) {
    if (!(error instanceof ApiError)) return { kind: "failed", cause: describeThrown(error) };
    const { cause, ...details } = error.details;
    const fault = { code: error.code, message: error.message, details };
    return { kind: "fault", fault, cause: typeof cause === "string" ? cause : null };
  }
}
