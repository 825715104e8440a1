/**
 * Returns a shorter text that still fails, by removing pieces from half of the text down to single characters. The
 * number of attempts is bounded, because each one renders the text with three engines.
 */
export function shrink(text: string, fails: (text: string) => boolean, triesMax = 3000): string {
  let tries = 0;
  let size = Math.ceil(text.length / 2);
  while (size >= 1) {
    let shorter = false;
    for (let at = 0; at < text.length && tries < triesMax; ) {
      const candidate = text.slice(0, at) + text.slice(at + size);
      tries++;
      if (fails(candidate)) {
        text = candidate;
        shorter = true;
      } else at += size;
    }
    if (!shorter || size > 1) size = size === 1 ? 0 : Math.floor(size / 2);
  }
  return text;
}
