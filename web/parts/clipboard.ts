/** The clipboard API exists only over HTTPS and on localhost; `execCommand` works elsewhere too. */
export async function writeClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const opener = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  field.style.position = "fixed";
  field.style.opacity = "0";
  // An open dialog does not let the focus leave it.
  const parent = opener?.closest("dialog") ?? document.body;
  parent.append(field);
  field.select();
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  } finally {
    field.remove();
    if (opener instanceof HTMLElement) opener.focus();
  }
}

/**
 * Copies a text that is still to come. Call it in the handler of a click: browsers allow copying only then, and `ClipboardItem` takes
 * a promise for that. Returns whether the text was copied; false too if it never comes.
 */
export async function copyLater(text: Promise<string>): Promise<boolean> {
  const blob = text.then((value) => new Blob([value], { type: "text/plain" }));
  // The browser may reject the copy without waiting for the text.
  blob.catch(() => {});
  try {
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
    return true;
  } catch {
    // Some browsers take no promise, but still count the click a few seconds later. Not by selection, which says that it copied
    // when it did not: the dialog of a key closes without a question once the key is copied.
    return text
      .then((value) => navigator.clipboard.writeText(value))
      .then(
        () => true,
        () => false,
      );
  }
}
