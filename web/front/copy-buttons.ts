const SHOWN_MS = 1_500;

/**
 * Gives every block of code a button that copies it. Where the browser gives pages no clipboard (it does so only over
 * HTTPS and on the same machine) there is no button, and nothing else is lost.
 */
export function addCopyButtons(page: Document): void {
  if (!navigator.clipboard) return;
  const said = page.createElement("p");
  said.className = "said";
  said.setAttribute("role", "status");
  page.body.append(said);
  for (const block of page.querySelectorAll<HTMLElement>("figure.code")) {
    block.querySelector("figcaption")?.append(copyButton(block, said));
  }
}

function copyButton(block: HTMLElement, said: HTMLElement): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  const caption = block.querySelector("figcaption span")?.textContent ?? "this code";
  // The visible word comes first, so that it can be spoken to (WCAG 2.5.3).
  button.setAttribute("aria-label", `Copy: ${caption}`);
  let timer = 0;
  button.addEventListener("click", async () => {
    const text = block.querySelector("pre")?.textContent ?? "";
    const word = await navigator.clipboard.writeText(text).then(
      () => "Copied",
      () => "Not copied",
    );
    button.textContent = word;
    said.textContent = word;
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.textContent = "Copy";
      said.textContent = "";
    }, SHOWN_MS);
  });
  return button;
}
