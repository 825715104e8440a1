import { Button, FileButton, Group, Input, Text, Textarea } from "@mantine/core";
import { type ClipboardEvent, type DragEvent, useId, useState } from "react";
import { utf8Length } from "#tools/text.ts";
import { counted, formatNumber } from "../parts/numbers.ts";
import { FieldLabel, type FieldProps, ORDER } from "./field.tsx";
import { beginningOf } from "./long-code.tsx";
import { Prose } from "./prose.tsx";
import { type OpenedFile, readTextFile } from "./read-text-file.ts";
import type { ToolField } from "./tool-fields.ts";

/** A text: written, pasted, or the text of a file. */
export function TextInput({ field, value, error, onChange }: FieldProps) {
  const id = useId();
  const [file, setFile] = useState<OpenedFile | null>(null);
  const [trouble, setTrouble] = useState<string>();
  const text = String(value);
  // An example or an edit has taken the place of the file's text.
  const opened = file !== null && file.text === text ? file : null;

  function write(next: string) {
    setFile(null);
    setTrouble(undefined);
    onChange(next);
  }

  function take(read: OpenedFile) {
    setTrouble(undefined);
    setFile(read);
    onChange(read.text);
  }

  async function open(chosen: File | null | undefined) {
    if (!chosen) return;
    try {
      take(await readTextFile(chosen, field.bytesMax ?? Number.POSITIVE_INFINITY));
    } catch (cause) {
      setTrouble((cause as Error).message);
    }
  }

  const shown = trouble ?? error;
  const around = {
    id,
    label: <FieldLabel field={field} />,
    description: <TextHint field={field} text={text} />,
    error: shown === undefined ? undefined : <Prose text={shown} />,
    inputWrapperOrder: ORDER,
  };
  return (
    <div>
      {opened === null ? (
        <Textarea
          {...around}
          value={text}
          rows={ROWS[field.name] ?? 6}
          resize="vertical"
          spellCheck={false}
          autoCapitalize="off"
          autoCorrect="off"
          classNames={{ input: "tool-text" }}
          onChange={(event) => write(event.currentTarget.value)}
          onPaste={(event) => takeLongPaste(event, take)}
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => dropFile(event, (dropped) => void open(dropped))}
        />
      ) : (
        <Input.Wrapper {...around} labelElement="div">
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

/** How much of its limit the text takes, and what it is for. Inside a paragraph. */
function TextHint({ field: { bytesMax, description }, text }: { field: ToolField; text: string }) {
  const bytes = utf8Length(text);
  const over = bytesMax !== undefined && bytes > bytesMax;
  return (
    <>
      <span className="tool-count" data-over={over || undefined}>
        {bytesMax === undefined
          ? counted(bytes, "byte")
          : `${formatNumber(bytes)} of at most ${counted(bytesMax, "byte")}${over ? ": too long" : ""}`}
      </span>
      <Prose text={description} />
    </>
  );
}

const PREVIEW_CHARS = 2_000;

/** A file is not put into the text area, which would change its line ends. */
function FilePreview({ file }: { file: OpenedFile }) {
  const beginning = beginningOf(file.text, PREVIEW_CHARS);
  return (
    <section className="tool-file" aria-label={file.name}>
      <Text size="sm" fw={600}>
        {file.name}
      </Text>
      <Text size="sm" c="dimmed">
        {counted(file.bytes, "byte")}, taken letter for letter, line ends included.
        {beginning !== file.text && " It begins:"}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{beginning}</pre>
    </section>
  );
}

/** Text that is dropped is the text area's own business. */
function dropFile(event: DragEvent, open: (file: File | undefined) => void): void {
  if (event.dataTransfer.files.length === 0) return;
  event.preventDefault();
  open(event.dataTransfer.files[0]);
}

/** From here on a text area takes seconds to lay out what is pasted into it. */
const LONG_PASTE_CHARS = 64 * 1024;

/** A long text that would take the place of everything is taken like that of a file. */
function takeLongPaste(
  event: ClipboardEvent<HTMLTextAreaElement>,
  take: (pasted: OpenedFile) => void,
): void {
  const text = event.clipboardData.getData("text/plain");
  const { value, selectionStart, selectionEnd } = event.currentTarget;
  if (text.length < LONG_PASTE_CHARS || selectionEnd - selectionStart < value.length) return;
  event.preventDefault();
  take({ name: "Pasted text", bytes: utf8Length(text), text });
}
