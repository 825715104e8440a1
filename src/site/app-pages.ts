import type { Tool } from "#tools/define-tool.ts";
import type { AppPage } from "./app-shell.ts";
import { html, prose } from "./markup.ts";
import { pageLinks } from "./page-links.ts";
import { curlCode } from "./request-code.ts";

export const APP_ENTRY = "main.tsx";

export function listAppPages(tools: readonly Tool[], publicUrl: string): AppPage[] {
  return [...toolPages(tools, publicUrl), ...signInPages(), ...memberPages()];
}

function toolPages(tools: readonly Tool[], publicUrl: string): AppPage[] {
  const links = pageLinks(publicUrl);
  const list = html`<p>Each tool runs in your browser with the code of the API. Nothing you type is sent, unless you run a call through the API.</p>
<ul>${tools.map(
    ({ name, title, summary }) =>
      html`<li><a href="${links.tools}/${name}">${title}</a>: ${prose(summary)}</li>\n`,
  )}</ul>`;
  const all: AppPage = {
    path: "/tools",
    title: "Tools",
    description:
      "Markdown to HTML, QR codes, hashes, UUIDs and echo in your browser, with the same results as the API.",
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
    description: `${plain(tool.summary)} Runs in your browser, with the same result as the API.`,
    findable: true,
    screen: "tools/tool-screen.tsx",
    main: html`<p>${prose(tool.summary)} It runs in your browser. Nothing you type is sent, unless you run a call through the API.</p>
<noscript><figure class="tb-code"><figcaption>The same call with curl</figcaption><pre><code>${curlCode(call)}</code></pre></figure></noscript>
<p><a href="${links.docs}/${tool.name}">Reference of <code>${tool.name}</code></a></p>`,
  };
}

const plain = (text: string) => text.replaceAll("`", "");

/** Pages for signing up and in, and pages that links in emails open. */
function signInPages(): AppPage[] {
  const entry = (path: string, title: string, description: string, findable = false): AppPage => ({
    path,
    title,
    description,
    findable,
    screen: `sign-in${path}-screen.tsx`,
  });
  return [
    {
      ...entry("/sign-up", "Sign up", "Create an account with your email address.", true),
      needsOffer: true,
      form: "sign-up",
    },
    {
      ...entry("/sign-in", "Sign in", "Sign in to see your keys, usage and credits.", true),
      needsOffer: true,
      form: "sign-in",
    },
    entry(
      "/confirm-sign-in",
      "Confirm your sign-in",
      "Complete your sign-in with a second factor.",
    ),
    entry("/verify-email", "Confirm your email address", "Confirm your email address."),
    entry(
      "/forgot-password",
      "Forgot password?",
      "Get an email with a link to choose a new password.",
    ),
    entry("/reset-password", "Choose a new password", "Choose a new password for your account."),
    {
      ...entry("/unsubscribe", "Unsubscribe", "Stop one kind of email notification."),
      screen: "notifications/unsubscribe-screen.tsx",
    },
  ];
}

function memberPages(): AppPage[] {
  const member = (
    path: string,
    title: string,
    screen: string,
    data: readonly string[] = [],
  ): AppPage => ({
    path,
    title,
    screen,
    data,
    findable: false,
    description: `${title}: sign in to see this page.`,
  });
  return [
    member("/home", "Home", "home/home-screen.tsx", ["/dashboard/home"]),
    member("/settings/api-keys", "API keys", "keys/keys-screen.tsx", ["/dashboard/keys"]),
    member("/settings/notifications", "Notifications", "notifications/notifications-screen.tsx", [
      "/dashboard/notifications",
    ]),
    member("/settings/webhooks", "Webhooks", "webhooks/webhooks-screen.tsx", [
      "/dashboard/webhooks",
    ]),
    member("/settings/account", "Account", "account/account-screen.tsx", [
      "/dashboard/factors",
      "/dashboard/sessions",
    ]),
    member("/requests", "Requests", "requests/requests-screen.tsx", [
      "/dashboard/requests?",
      "/dashboard/requests/summary?",
    ]),
    member("/usage", "Usage", "usage/usage-screen.tsx"),
    member("/credits", "Credits", "credits/credits-screen.tsx", ["/dashboard/credits"]),
  ];
}
