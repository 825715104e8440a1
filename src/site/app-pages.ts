import type { Tool } from "#tools/define-tool.ts";
import type { AppPage } from "./app-shell.ts";
import { toolsWithPage } from "./page-options.ts";

export const APP_ENTRY = "main.tsx";

/** Every page that React draws. */
export const listAppPages = (tools: readonly Tool[]): AppPage[] => [
  ...toolPages(toolsWithPage({ tools })),
  {
    path: "/sign-in",
    title: "Sign in",
    description: "Enter your email address to get a code. No password needed.",
    findable: true,
    isNarrow: true,
    screen: "sign-in/sign-in-screen.tsx",
  },
  // Pages that links in emails open.
  linkPage(
    "/sign-in/link",
    "Sign in",
    "sign-in/link-screen.tsx",
    "Sign in with a link from an email.",
  ),
  linkPage(
    "/undo-email-change",
    "Undo the change of your email address",
    "sign-in/undo-email-screen.tsx",
    "Restore the previous email address of your account.",
  ),
  linkPage(
    "/unsubscribe",
    "Unsubscribe",
    "notifications/unsubscribe-screen.tsx",
    "Stop one kind of email notification.",
  ),
  // Pages of members.
  page("/home", "Home", "home/home-screen.tsx"),
  page("/settings/api-keys", "API keys", "keys/keys-screen.tsx"),
  page("/settings/notifications", "Notifications", "notifications/notifications-screen.tsx"),
  page("/settings/webhooks", "Webhooks", "webhooks/webhooks-screen.tsx"),
  page("/settings/account", "Account", "account/account-screen.tsx"),
  page("/requests", "Requests", "requests/requests-screen.tsx"),
  page("/usage", "Usage", "usage/usage-screen.tsx"),
  page("/credits", "Credits", "credits/credits-screen.tsx"),
];

/** The list of the tools that have a page, and their pages. */
function toolPages(tools: readonly Tool[]): AppPage[] {
  if (tools.length === 0) return [];
  const list: AppPage = {
    path: "/tools",
    title: "Tools",
    description: "Use the tools on their pages, or call them through the API.",
    findable: true,
    screen: "tools/tools-screen.tsx",
  };
  const pages = tools.map(({ name, title, summary }) => ({
    path: `/tools/${name}`,
    title,
    description: summary.replaceAll("`", ""),
    findable: true,
    screen: "tools/tool-screen.tsx",
  }));
  return [list, ...pages];
}

/** A page that search engines may not list. */
function page(path: string, title: string, screen: string): AppPage {
  const description = `${title}: sign in to see this page.`;
  return { path, title, description, findable: false, screen };
}

const linkPage = (path: string, title: string, screen: string, description: string): AppPage => ({
  ...page(path, title, screen),
  ...{ description, isNarrow: true },
});
