const SHOWN_MS = 1_500;

/**
 * Adds a copy button to every code block. Browsers offer the clipboard only over HTTPS and on localhost; elsewhere there
 * is no button.
 */
export function addCopyButtons(page: Document): void {
  if (!navigator.clipboard) return;
  const status = page.createElement("p");
  status.className = "said";
  status.setAttribute("role", "status");
  page.body.append(status);
  for (const block of page.querySelectorAll<HTMLElement>("figure.code")) {
    block.querySelector("figcaption")?.append(copyButton(block, status));
  }
}

function copyButton(block: HTMLElement, status: HTMLElement): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  const caption = block.querySelector("figcaption span")?.textContent ?? "this code";
  // The name starts with the visible label, for voice control (WCAG 2.5.3).
  button.setAttribute("aria-label", `Copy: ${caption}`);
  let timer = 0;
  button.addEventListener("click", async () => {
    const text = block.querySelector("pre")?.textContent ?? "";
    const result = await navigator.clipboard.writeText(text).then(
      () => "Copied",
      () => "Copying failed",
    );
    button.textContent = result;
    status.textContent = result;
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.textContent = "Copy";
      status.textContent = "";
    }, SHOWN_MS);
  });
  return button;
}
