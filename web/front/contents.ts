/** From here on the table of contents stands beside the text (`src/site/style.ts`). */
const BESIDE = matchMedia("(min-width: 62rem)");

/**
 * The table of contents is folded up where it stands above the text, and unfolded where it stands beside it. The style
 * shows it there in any case; unfolded it is that for everything that reads the page otherwise.
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
