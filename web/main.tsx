import { MantineProvider } from "@mantine/core";
import "./components.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { loadStyles } from "./load-styles.ts";
import { createQueryClient } from "./queries.ts";
import { router } from "./router.tsx";
import "./styles.css";
import { theme } from "./theme.ts";

const client = createQueryClient();
await loadStyles();

createRoot(document.getElementById("app") as HTMLElement).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto">
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
