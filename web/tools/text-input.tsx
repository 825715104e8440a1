import { Button, FileButton, Group, Input, Text, Textarea } from "@mantine/core";
import { type ClipboardEvent, type DragEvent, useId, useState } from "react";
import { utf8Length } from "#tools/text.ts";
import { counted, formatNumber } from "../parts/numbers.ts";
import { FieldLabel, type FieldProps, ORDER } from "./field.tsx";
import { beginningOf } from "./long-code.tsx";
import { Prose } from "./prose.tsx";
import { type OpenedFile, readTextFile } from "./read-text-file.ts";
import type { ToolField } from "./tool-fields.ts";

/** A text field that also accepts files. */
export function LongTextInput({ field, value, error, onChange }: FieldProps) {
  const id = useId();
  const [file, setFile] = useState<OpenedFile | null>(null);
  const [fileError, setFileError] = useState<string>();
  const text = String(value);
  // Null if an example or an edit has replaced the text of the file.
  const opened = file !== null && file.text === text ? file : null;

  function write(next: string) {
    setFile(null);
    setFileError(undefined);
    onChange(next);
  }

  function acceptFile(read: OpenedFile) {
    setFileError(undefined);
    setFile(read);
    onChange(read.text);
  }

  async function open(chosen: File | null | undefined) {
    if (!chosen) return;
    try {
      acceptFile(await readTextFile(chosen, field.bytesMax ?? Number.POSITIVE_INFINITY));
    } catch (cause) {
      setFileError((cause as Error).message);
    }
  }

  const shownError = fileError ?? error;
  const wrapperProps = {
    id,
    label: <FieldLabel field={field} />,
    description: <TextHint field={field} text={text} />,
    error: shownError === undefined ? undefined : <Prose text={shownError} />,
    inputWrapperOrder: ORDER,
  };
  return (
    <div>
      {opened === null ? (
        <Textarea
          {...wrapperProps}
          value={text}
          rows={ROWS[field.name] ?? 6}
          resize="vertical"
          spellCheck={false}
          autoCapitalize="off"
          autoCorrect="off"
          classNames={{ input: "tool-text" }}
          onChange={(event) => write(event.currentTarget.value)}
          onPaste={(event) => takeLongPaste(event, acceptFile)}
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => dropFile(event, (dropped) => void open(dropped))}
        />
      ) : (
        <Input.Wrapper {...wrapperProps} labelElement="div">
          <FilePreview file={opened} />
        </Input.Wrapper>
      )}
      <Group gap="xs" mt="xs">
        <FileButton onChange={(chosen) => void open(chosen)} inputProps={{ tabIndex: -1 }}>
          {(props) => (
            <Button {...props} variant="default" size="xs">
              {opened === null ? "Open a file" : "Open another file"}
            </Button>
          )}
        </FileButton>
        {opened !== null && (
          <Button variant="default" size="xs" onClick={() => setFile(null)}>
            Edit as text
          </Button>
        )}
        <Button variant="subtle" size="xs" disabled={text === ""} onClick={() => write("")}>
          Clear
        </Button>
      </Group>
    </div>
  );
}

const ROWS: Record<string, number> = { markdown: 16, body: 10 };

/** The length of the text and its limit, followed by the description. Rendered inside a paragraph. */
function TextHint({ field: { bytesMax, description }, text }: { field: ToolField; text: string }) {
  const bytes = utf8Length(text);
  const isTooLong = bytesMax !== undefined && bytes > bytesMax;
  return (
    <>
      <span className="tool-count" data-over={isTooLong || undefined}>
        {bytesMax === undefined
          ? counted(bytes, "byte")
          : `${formatNumber(bytes)} of ${counted(bytesMax, "byte")}${isTooLong ? ": too long" : ""}`}
      </span>
      <Prose text={description} />
    </>
  );
}

const PREVIEW_CHARS = 2_000;

/** A file is not shown in a text area, which would change its line endings. */
function FilePreview({ file }: { file: OpenedFile }) {
  const beginning = beginningOf(file.text, PREVIEW_CHARS);
  return (
    <section className="tool-file" aria-label={file.name}>
      <Text size="sm" fw={600}>
        {file.name}
      </Text>
      <Text size="sm" c="dimmed">
        {counted(file.bytes, "byte")}, used unchanged, including line endings.
        {beginning !== file.text && " It starts with:"}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be focusable by keyboard */}
      <pre tabIndex={0}>{beginning}</pre>
    </section>
  );
}

/** Opens a dropped file. The text area handles dropped text itself. */
function dropFile(event: DragEvent, open: (file: File | undefined) => void): void {
  if (event.dataTransfer.files.length === 0) return;
  event.preventDefault();
  open(event.dataTransfer.files[0]);
}

/** Above this length a text area takes seconds to lay out pasted text. */
const LONG_PASTE_CHARS = 64 * 1024;

/** Treats a long paste that replaces the whole text like a file. */
function takeLongPaste(
  event: ClipboardEvent<HTMLTextAreaElement>,
  onLongPaste: (pasted: OpenedFile) => void,
): void {
  const text = event.clipboardData.getData("text/plain");
  const { value, selectionStart, selectionEnd } = event.currentTarget;
  if (text.length < LONG_PASTE_CHARS || selectionEnd - selectionStart < value.length) return;
  event.preventDefault();
  onLongPaste({ name: "Pasted text", bytes: utf8Length(text), text });
}
