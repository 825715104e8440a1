import { Button, Group, Text, TextInput } from "@mantine/core";
import { counted } from "#counted.ts";
import type { Tool } from "#tools/define-tool.ts";
import { base } from "../addresses.ts";
import { service } from "../page-facts.ts";
import { Choice } from "../parts/choice.tsx";
import { Icon } from "../parts/icon.tsx";
import { PLAIN_INPUT } from "../parts/plain-input.ts";
import { SECRET_INPUT } from "./fields.tsx";

export type Where = "browser" | "api";

/** `userAgentData` is missing in Safari, which runs on Apple's systems alone. */
const RUN_KEY = /mac/i.test(navigator.platform) ? "⌘" : "Ctrl";

function priceText(
  { price, priceOf }: Tool<unknown>,
  ownPrice: number | null,
  quoted: number | null,
): string {
  if (quoted !== null) return `${counted(quoted, "credit")} with this input`;
  if (ownPrice !== null) return `your account ${counted(ownPrice, "credit")}`;
  const credits = counted(price, "credit");
  return priceOf === undefined ? credits : `up to ${credits}, depending on the input`;
}

/** Where the call runs, the key for the API, and the button that runs it. */
export function RunBar({
  tool,
  ownPrice,
  where,
  onWhere,
  apiKey,
  keyError,
  onKey,
  quoted,
  onQuote,
  isSending,
  onCancel,
  isRunnable,
}: {
  tool: Tool<unknown>;
  /** What a call costs the visitor's account; null if it costs what it costs everybody. */
  ownPrice: number | null;
  where: Where;
  onWhere(where: Where): void;
  apiKey: string;
  keyError: string | null;
  onKey(key: string): void;
  /** What the API has said that the call costs; null if it was not asked. */
  quoted: number | null;
  onQuote(): void;
  isSending: boolean;
  onCancel(): void;
  /** False where the API does not take the input at all. */
  isRunnable: boolean;
}) {
  return (
    <div className="play-run">
      {tool.isOwn !== true && (
        <Choice
          legend="Run"
          value={where}
          onChange={onWhere}
          choices={[
            ["browser", "In your browser"],
            ["api", "Through the API"],
          ]}
        />
      )}
      {where === "browser" ? (
        <Text size="sm" c="dimmed">
          Free. Nothing you enter leaves this page.
        </Text>
      ) : (
        <>
          <Text size="sm" c="dimmed" role="status">
            A real call: the input is sent to this service, and a success costs{" "}
            {priceText(tool, ownPrice, quoted)}.
          </Text>
          <TextInput
            {...PLAIN_INPUT}
            {...SECRET_INPUT}
            label="API key"
            description={
              <>
                Kept in the memory of this page only, until you leave it. Your keys are under{" "}
                <a href={`${base()}/settings/api-keys`}>API keys</a>.
              </>
            }
            inputWrapperOrder={["label", "input", "error", "description"]}
            placeholder={`${service().keyPrefix}…`}
            value={apiKey}
            error={keyError}
            errorProps={{ role: "alert" }}
            onChange={(event) => onKey(event.currentTarget.value)}
          />
        </>
      )}
      <Group gap={8} mt={8}>
        <Button
          type="submit"
          leftSection={<Icon name="play" size={16} />}
          disabled={!isRunnable}
          aria-busy={isSending}
        >
          {where === "api" ? "Send request" : (tool.page?.button ?? "Run")}
        </Button>
        {where === "api" && tool.priceOf !== undefined && ownPrice === null && (
          <Button variant="default" onClick={onQuote} disabled={!isRunnable || isSending}>
            Check price
          </Button>
        )}
        {isSending && (
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        )}
        <span className="play-keys">
          <kbd>{RUN_KEY}</kbd> <kbd>Enter</kbd>
        </span>
      </Group>
      {!isRunnable && (
        <Text size="sm" c="dimmed">
          The API does not take a file of this size. Its digests are computed in your browser.
        </Text>
      )}
    </div>
  );
}
