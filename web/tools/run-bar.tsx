import { useId } from "react";
import type { Tool } from "#tools/define-tool.ts";
import { counted } from "../parts/numbers.ts";
import { Button, Choice } from "./ui.tsx";

export type Where = "browser" | "api";

/** `userAgentData` is missing in Safari, which runs on Apple's systems alone. */
const RUN_KEY = /mac/i.test(navigator.platform) ? "⌘" : "Ctrl";

/** Where the call runs, the key for the API, and the button that runs it. */
export function RunBar({
  tool,
  where,
  onWhere,
  apiKey,
  keyError,
  onKey,
  isSending,
  onCancel,
  isRunnable,
}: {
  tool: Tool<unknown>;
  where: Where;
  onWhere(where: Where): void;
  apiKey: string;
  keyError: string | null;
  onKey(key: string): void;
  isSending: boolean;
  onCancel(): void;
  /** False where the API does not take the input at all. */
  isRunnable: boolean;
}) {
  const id = useId();
  return (
    <div className="play-run">
      <Choice
        legend="Run"
        value={where}
        onChange={onWhere}
        choices={[
          ["browser", "In your browser"],
          ["api", "Through the API"],
        ]}
      />
      {where === "browser" ? (
        <p className="play-help">Free. Nothing you enter leaves this page.</p>
      ) : (
        <>
          <p className="play-help">
            A real call: the input is sent to this service, and a success costs{" "}
            {counted(tool.price, "credit")}.
          </p>
          <div className="play-field">
            <label className="play-label" htmlFor={id}>
              API key
            </label>
            <input
              id={id}
              className="play-input"
              type="password"
              value={apiKey}
              placeholder="tb_…"
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              data-1p-ignore
              data-lpignore="true"
              aria-invalid={keyError !== null || undefined}
              aria-describedby={keyError === null ? `${id}-help` : `${id}-error ${id}-help`}
              onChange={(event) => onKey(event.currentTarget.value)}
            />
            {keyError !== null && (
              <p className="play-error" id={`${id}-error`} role="alert">
                {keyError}
              </p>
            )}
            <p className="play-help" id={`${id}-help`}>
              Kept in the memory of this page only, until you leave it.
            </p>
          </div>
        </>
      )}
      <div className="play-row">
        <Button
          type="submit"
          look="primary"
          icon="play"
          disabled={!isRunnable}
          aria-busy={isSending}
        >
          {where === "api" ? "Send request" : (tool.page?.button ?? "Run")}
        </Button>
        {isSending && <Button onClick={onCancel}>Cancel</Button>}
        <span className="play-keys">
          <kbd>{RUN_KEY}</kbd> <kbd>Enter</kbd>
        </span>
      </div>
      {!isRunnable && (
        <p className="play-help">
          The API does not take a file of this size. Its digests are computed in your browser.
        </p>
      )}
    </div>
  );
}
