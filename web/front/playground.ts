/**
 * The section "Try it" in the reference of a tool. The page can be read without it; the playground and the engine of the tool
 * are loaded when the reader asks for them, or opens a link that brings inputs.
 */
export function startPlayground(page: Document): void {
  const section = page.querySelector<HTMLElement>("section[data-play]");
  if (section === null) return;
  const { play: tool = "", apiUrl = "", base = "" } = section.dataset;
  const place = page.createElement("div");
  const button = page.createElement("button");
  const fault = page.createElement("p");
  button.type = "button";
  button.className = "button";
  button.textContent = "Open the playground";
  fault.className = "fault";
  fault.setAttribute("role", "status");
  section.append(button, fault, place);

  const load = () => import("./playground-island.tsx");
  async function open() {
    button.disabled = true;
    fault.textContent = "";
    // The place takes its height at once, within the time after a click in which a page may move.
    place.className = "play-place";
    place.setAttribute("aria-busy", "true");
    try {
      const { drawPlayground } = await load();
      await drawPlayground(place, { tool, apiUrl, base });
      button.remove();
    } catch {
      fault.textContent =
        "The playground could not be loaded. Check your connection, then try again.";
      place.className = "";
      button.disabled = false;
    }
    place.removeAttribute("aria-busy");
  }
  button.addEventListener("click", () => void open());
  // Whoever points at the button will probably press it.
  button.addEventListener("pointerenter", () => void load().catch(() => {}), { once: true });
  // The same beginning as in `web/tools/input-link.ts`, which this script does not load.
  const opensByLink = () => location.hash.startsWith("#input=") && !button.disabled;
  if (opensByLink()) void open();
  addEventListener("hashchange", () => opensByLink() && button.isConnected && void open());
}
