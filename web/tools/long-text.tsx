import { Button, Group, Input, Textarea } from "@mantine/core";
import { lazy, Suspense, useContext, useEffect, useId, useRef, useState } from "react";
import { counted, formatNumber } from "#counted.ts";
import { utf8Length } from "#tools/text.ts";
import { beginningOf } from "../parts/code-block.tsx";
import { Icon } from "../parts/icon.tsx";
import { PLAIN_INPUT } from "../parts/plain-input.ts";
import type { ChosenFile } from "./chosen-file.ts";
import { type FieldProps, wordsOfField } from "./fields.tsx";
import { FileContext } from "./file-context.ts";

/**
 * A text area lays out all of its text at every key: with 1 MB that is 60 to 250 ms in Chromium 153. Longer texts get an
 * editor that draws only the lines in view.
 */
const LARGE_CHARS = 64 * 1024;

const LargeEditor = lazy(() => import("./large-editor.tsx"));

/** A text of several lines, or a file in its place. */
export function LongText({ field, value, error, onChange }: FieldProps) {
  const id = useId();
  const { file, fault, mainField, choose, edit, clear } = useContext(FileContext);
  const text = String(value);
  const isMain = field.name === mainField;
  const shownFile = isMain ? file : null;
  const shownError = (isMain ? fault : null) ?? error;
  const isLarge = useLarge(text);
  const hasTyped = useRef(false);
  const isArea = shownFile === null && !isLarge;
  const { label, ...words } = wordsOfField({ field, error: shownError });
  const labelRow = (
    <span className="play-label-row">
      <span>{label}</span>
      <ByteCount text={text} file={shownFile} bytesMax={field.bytesMax} />
    </span>
  );
  return (
    <div>
      {isArea ? (
        <Textarea
          {...words}
          {...PLAIN_INPUT}
          label={labelRow}
          classNames={{ input: "play-text", label: "play-long-label" }}
          value={text}
          rows={ROWS[field.name] ?? 5}
          onChange={(event) => {
            hasTyped.current = true;
            onChange(event.currentTarget.value);
          }}
          onPaste={(event) => {
            const { clipboardData, currentTarget } = event;
            const [pasted] = clipboardData.files;
            const inserted = clipboardData.getData("text/plain");
            if (pasted !== undefined && inserted === "" && isMain) {
              event.preventDefault();
              choose(pasted);
            } else if (inserted.length >= LARGE_CHARS) {
              // The text area must not lay it out first.
              event.preventDefault();
              const { selectionStart, selectionEnd } = currentTarget;
              hasTyped.current = true;
              onChange(text.slice(0, selectionStart) + inserted + text.slice(selectionEnd));
            }
          }}
        />
      ) : (
        <Input.Wrapper {...words} label={labelRow} labelElement="div" id={id}>
          {shownFile !== null ? (
            <FileCard file={shownFile} />
          ) : (
            <Suspense fallback={<pre className="play-file-text">{beginningOf(text, 2_000)}</pre>}>
              <LargeEditor
                text={text}
                label={field.label}
                describedBy={`${id}-error ${id}-description`}
                takesFocus={hasTyped.current}
                onChange={onChange}
              />
            </Suspense>
          )}
        </Input.Wrapper>
      )}
      {isMain && (
        <Group gap={8} mt={8}>
          <OpenFileButton
            choose={choose}
            label={shownFile === null ? "Open a file" : "Open another file"}
          />
          {shownFile !== null && shownFile.text !== null && (
            <Button variant="default" size="xs" onClick={edit}>
              Edit as text
            </Button>
          )}
          <Button
            variant="subtle"
            size="compact-sm"
            disabled={text === "" && shownFile === null}
            onClick={clear}
          >
            {shownFile === null ? "Clear" : "Remove file"}
          </Button>
        </Group>
      )}
    </div>
  );
}

const ROWS: Record<string, number> = { markdown: 18, body: 10 };

/** Whether the text needs the editor for large texts. It stays while the text is edited, so that the cursor does too. */
function useLarge(text: string): boolean {
  const [wasLarge, setLarge] = useState(false);
  const isLarge = text.length >= LARGE_CHARS || (wasLarge && text !== "");
  useEffect(() => setLarge(isLarge), [isLarge]);
  return isLarge;
}

function OpenFileButton({ choose, label }: { choose(file: File): void; label: string }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<Icon name="upload" size={16} />}
        onClick={() => input.current?.click()}
      >
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        tabIndex={-1}
        onChange={(event) => {
          const [chosen] = event.currentTarget.files ?? [];
          // The same file can be chosen again after it has changed.
          event.currentTarget.value = "";
          if (chosen !== undefined) choose(chosen);
        }}
      />
    </>
  );
}

/** Counted after a pause for a long text, because counting takes time too. */
function ByteCount({
  text,
  file,
  bytesMax,
}: {
  text: string;
  file: ChosenFile | null;
  bytesMax: number | undefined;
}) {
  const bytes = file === null ? utf8Length(text) : file.size;
  const isOver = bytesMax !== undefined && bytes > bytesMax;
  // A file over the limit is hashed in the browser. It is no error, and the run bar says what the API takes.
  const isStreamed = file !== null && file.text === null && file.bytes === null;
  return (
    <span className="play-count" data-over={(isOver && !isStreamed) || undefined}>
      {bytesMax === undefined || isStreamed
        ? counted(bytes, "byte")
        : `${formatNumber(bytes)} of ${counted(bytesMax, "byte")}`}
    </span>
  );
}

const PREVIEW_CHARS = 2_000;

/** A file is not put into a text area, which would change its line endings. */
function FileCard({ file }: { file: ChosenFile }) {
  const beginning = file.text === null ? null : beginningOf(file.text, PREVIEW_CHARS);
  return (
    <section className="play-file" aria-label={file.name}>
      <strong>{file.name}</strong>
      <p>
        {counted(file.size, "byte")}, used unchanged, including line endings.
        {beginning !== null && beginning !== file.text && " It starts with:"}
      </p>
      {beginning !== null && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be focusable by keyboard
        <pre className="play-file-text" tabIndex={0}>
          {beginning}
        </pre>
      )}
    </section>
  );
}
