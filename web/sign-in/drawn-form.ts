/**
 * The form that the server rendered (`src/site/sign-in-form.ts`), as the user left it when React took it over: what they typed is
 * not lost, the field keeps the focus, and a form that they sent is sent when it can be.
 */
type DrawnForm = {
  texts: Record<string, string>;
  focus: { id: string; start: number | null; end: number | null } | null;
  isSubmitted: boolean;
};

let left: DrawnForm | null = null;

/** Call it before React renders for the first time. */
export function readDrawnForm(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-drawn]");
  if (form === null) return;
  const fields = [...form.querySelectorAll("input")];
  const focused = fields.find((field) => field === document.activeElement);
  left = {
    texts: Object.fromEntries(fields.map(({ name, value }) => [name, value])),
    focus: focused ? { id: focused.id, ...selectionOf(focused) } : null,
    isSubmitted: form.hasAttribute("data-submitted"),
  };
}

/** What the user typed into the field before React took over; empty if nothing. */
export const drawnText = (name: string): string => left?.texts[name] ?? "";

/** Goes on where the user was. Call it once, after React has rendered the form. */
export function resumeDrawnForm(): void {
  const form = left;
  left = null;
  if (form === null) return;
  const { focus } = form;
  const field = focus && document.getElementById(focus.id);
  if (focus && field instanceof HTMLInputElement) {
    field.focus({ preventScroll: true });
    // Email fields have no selection.
    if (focus.start !== null) field.setSelectionRange(focus.start, focus.end);
  }
  if (form.isSubmitted)
    document.querySelector<HTMLFormElement>(".tb-sign-in form")?.requestSubmit();
}

const selectionOf = ({ selectionStart, selectionEnd }: HTMLInputElement) => ({
  start: selectionStart,
  end: selectionEnd,
});
