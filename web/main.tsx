import "./trusted-types.ts";
import "./components.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { MantineTheme } from "./frame/mantine-theme.tsx";
import { checkRestoredPage } from "./frame/restored-page.ts";
import { createQueryClient, visitorQuery } from "./queries.ts";
import { router } from "./router.tsx";
import { startShell } from "./shell/shell.ts";
import "./styles.css";

const client = createQueryClient();
startShell(document);
checkRestoredPage(client);
// While the code of the screen is loading: every page shows the visitor first.
void client.prefetchQuery(visitorQuery);
// Mantine's transitions follow the system then.
document.documentElement.setAttribute("data-respect-reduced-motion", "true");
// React renders when the code of the screen is there, so that the page changes once.
// Not a top-level `await`: a module with one cannot share a chunk with what the screens import.
void Promise.all([loadStyles(), router.load()]).then(() => {
  createRoot(document.getElementById("app") as HTMLElement).render(
    <StrictMode>
      <MantineTheme>
        <QueryClientProvider client={client}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineTheme>
    </StrictMode>,
  );
});

/**
 * Applies the component styles that the page preloads, and waits for them. The frame is painted before that, because its
 * own styles are inline in the page. If the styles cannot be loaded, React renders without them.
 */
async function loadStyles(): Promise<void> {
  const links = document.querySelectorAll<HTMLLinkElement>('link[rel="preload"][as="style"]');
  await Promise.all(
    [...links].map((link) => {
      const settled = new Promise((resolve) => {
        link.addEventListener("load", resolve, { once: true });
        link.addEventListener("error", resolve, { once: true });
      });
      link.rel = "stylesheet";
      return settled;
    }),
  );
}
