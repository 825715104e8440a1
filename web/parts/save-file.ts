/** The browser reads the URL after the click, so it is revoked later. */
const REVOKE_AFTER_MS = 60_000;

/** Saves content as a file. Call it on a click, so that large content is not held in memory twice before. */
export function saveFile(
  content: string | Uint8Array<ArrayBuffer>,
  type: string,
  file: string,
): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_AFTER_MS);
}
