import "../trusted-types.ts";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { loadToolWithView } from "../tools/load-view.ts";
import { Playground } from "../tools/playground.tsx";

/** Draws the playground of a tool in a page of the documentation. Rejects where the code of the tool cannot be loaded. */
export async function drawPlayground(
  place: HTMLElement,
  { tool: name, apiUrl, base }: { tool: string; apiUrl: string; base: string },
): Promise<void> {
  const loaded = await loadToolWithView(name);
  createRoot(place).render(
    <StrictMode>
      <Playground {...loaded} apiUrl={apiUrl} base={base} level={3} />
    </StrictMode>,
  );
}
