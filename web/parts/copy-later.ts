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
    return copyNow(text);
  }
}

/** Some browsers take no promise, but still count the click a few seconds later. */
async function copyNow(text: Promise<string>): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(await text);
    return true;
  } catch {
    return false;
  }
}
