import type { Tool } from "#tools/define-tool.ts";
import { type AppAssets, renderAppShell } from "./app-shell.ts";
import type { HtmlPart } from "./html.ts";
import { html, prose } from "./html.ts";
import { pageLinks } from "./page-links.ts";
import { curlCode } from "./request-code.ts";

/** The pages that React draws: where they lie, what their heads say, and what stands there until they are drawn. */
export type AppPage = {
  path: string;
  title: string;
  description: string;
  /** Whether search engines may show it. */
  findable: boolean;
  /** The file of `web/` that draws it, so that it is loaded at once. */
  screen: string;
  main?: HtmlPart;
};

export const APP_ENTRY = "main.tsx";

export function listAppPages(tools: readonly Tool[], publicUrl: string): AppPage[] {
  return [...toolPages(tools, publicUrl), ...signInPages(), ...memberPages()];
}

export function renderAppPage(page: AppPage, publicUrl: string, assets: AppAssets | null): string {
  return renderAppShell({ ...page, publicUrl, assets });
}

function toolPages(tools: readonly Tool[], publicUrl: string): AppPage[] {
  const links = pageLinks(publicUrl);
  const list = html`<p>Each runs in this browser, with the code of the API; nothing you type is sent anywhere.</p>
<ul>${tools.map(
    ({ name, title, summary }) =>
      html`<li><a href="${links.tools}/${name}">${title}</a>: ${prose(summary)}</li>\n`,
  )}</ul>`;
  const all: AppPage = {
    path: "/tools",
    title: "Tools",
    description:
      "Markdown to HTML, QR codes, hashes, UUIDs and echo, in your browser, with the same result as the API.",
    findable: true,
    screen: "tools/tools-screen.tsx",
    main: list,
  };
  return [all, ...tools.map((tool) => toolPage(tool, publicUrl))];
}

function toolPage(tool: Tool, publicUrl: string): AppPage {
  const links = pageLinks(publicUrl);
  const body = tool.examples[0]?.request;
  const call = { url: `${publicUrl}/api/v1/${tool.name}`, body };
  return {
    path: `/tools/${tool.name}`,
    title: tool.title,
    description: `${plain(tool.summary)} In your browser, with the same result as the API.`,
    findable: true,
    screen: "tools/tool-screen.tsx",
    main: html`<p>${prose(tool.summary)} It runs in this browser; nothing you type is sent anywhere.</p>
<noscript><figure class="tb-code"><figcaption>The same with curl</figcaption><pre><code>${curlCode(call)}</code></pre></figure></noscript>
<p><a href="${links.reference}#${tool.name}">Reference of ${tool.name}</a></p>`,
  };
}

const plain = (text: string) => text.replaceAll("`", "");

/** The pages around signing in. */
function signInPages(): AppPage[] {
  const entry = (path: string, title: string, description: string, findable = false): AppPage => ({
    ...{ path, title, description, findable },
    screen: `sign-in${path}-screen.tsx`,
  });
  return [
    entry("/sign-up", "Sign up", "Make an account: an address, a password, starter credits.", true),
    entry("/sign-in", "Sign in", "Sign in to see keys, usage and credits.", true),
    entry("/verify-email", "Confirm your e-mail address", "The link out of our letter leads here."),
    entry("/forgot-password", "Forgotten password", "Get a letter with a link."),
    entry("/reset-password", "Choose a new password", "The link out of our letter leads here."),
    {
      ...entry("/unsubscribe", "Unsubscribe", "The link at the end of our letters leads here."),
      screen: "notifications/unsubscribe-screen.tsx",
    },
  ];
}

function memberPages(): AppPage[] {
  const member = (path: string, title: string, screen: string): AppPage => ({
    ...{ path, title, screen, findable: false },
    description: `${title}: for those who are signed in.`,
  });
  return [
    member("/home", "Home", "home/home-screen.tsx"),
    member("/settings/api-keys", "API keys", "keys/keys-screen.tsx"),
    member("/settings/notifications", "Notices", "notifications/notifications-screen.tsx"),
    member("/settings/webhooks", "Webhooks", "webhooks/webhooks-screen.tsx"),
    member("/settings/account", "Account", "account/account-screen.tsx"),
    member("/usage", "Usage", "usage/usage-screen.tsx"),
    member("/credits", "Credits", "credits/credits-screen.tsx"),
  ];
}
