import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, keymap } from "@codemirror/view";
import { useEffect, useEffectEvent, useRef } from "react";

/** Long enough that the text is not copied at every key, short enough that the result follows. */
const REPORT_AFTER_MS = 200;

/** A field for a large text: CodeMirror draws only the lines in view, so a key takes the same time at any length. */
export default function LargeEditor({
  text,
  label,
  describedBy,
  takesFocus,
  onChange,
}: {
  text: string;
  label: string;
  describedBy: string | undefined;
  /** The user was typing when the text became large. */
  takesFocus: boolean;
  onChange(text: string): void;
}) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const reported = useRef(text);
  const change = useEffectEvent(onChange);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const report = () => {
      clearTimeout(timer);
      timer = undefined;
      reported.current = editor.state.doc.toString();
      change(reported.current);
    };
    const reportAndPass = () => {
      report();
      return false;
    };
    const editor = new EditorView({
      parent: place.current as HTMLDivElement,
      state: EditorState.create({
        doc: reported.current,
        extensions: [
          history(),
          drawSelection(),
          keymap.of([
            // The page runs the tool with this key, and Tab leaves the field as it leaves every other.
            { key: "Mod-Enter", run: reportAndPass },
            ...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"),
            ...historyKeymap,
          ]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({
            "aria-label": label,
            ...(describedBy !== undefined && { "aria-describedby": describedBy }),
          }),
          EditorView.updateListener.of(({ docChanged, transactions }) => {
            if (!docChanged || transactions.some((each) => each.isUserEvent("outside"))) return;
            clearTimeout(timer);
            timer = setTimeout(report, REPORT_AFTER_MS);
          }),
        ],
      }),
    });
    view.current = editor;
    if (takesFocus) {
      editor.focus();
      editor.dispatch({ selection: { anchor: editor.state.doc.length } });
    }
    return () => {
      clearTimeout(timer);
      editor.destroy();
    };
  }, []);

  // The text was replaced from outside, for example by an example.
  useEffect(() => {
    const editor = view.current;
    if (editor === null || text === reported.current) return;
    reported.current = text;
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: text },
      userEvent: "outside",
    });
  }, [text]);

  return <div ref={place} className="play-large" />;
}
