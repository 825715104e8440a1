/** From this width on the navigation is beside the text (`src/site/style.ts`). */
const BESIDE = matchMedia("(min-width: 62rem)");

/**
 * Closes the navigation where it is above the text and opens it where it is beside the text. The style shows it there in any
 * case; the attribute tells assistive technology.
 */
export function unfoldContents(page: Document): void {
  const contents = page.querySelector<HTMLDetailsElement>("details.toc");
  if (contents === null) return;
  const follow = () => {
    contents.open = BESIDE.matches;
  };
  follow();
  BESIDE.addEventListener("change", follow);
}
