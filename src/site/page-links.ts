export type PageLinks = ReturnType<typeof pageLinks>;

/** Links within the service: they keep the path under which it is published and work under any host name. */
export function pageLinks(publicUrl: string) {
  const base = basePath(publicUrl);
  return {
    front: `${base}/`,
    docs: `${base}/docs`,
    quickstart: `${base}/docs/quickstart`,
    calls: `${base}/docs/calls`,
    errors: `${base}/docs/errors`,
    accounts: `${base}/docs/accounts`,
    docsCredits: `${base}/docs/credits`,
    webhooks: `${base}/docs/webhooks`,
    mcp: `${base}/docs/mcp`,
    browserTools: `${base}/docs/browser-tools`,
    ownTools: `${base}/docs/own-tools`,
    selfHosting: `${base}/docs/self-hosting`,
    openapi: `${base}/openapi.json`,
    pricing: `${base}/pricing`,
    tools: `${base}/tools`,
    signIn: `${base}/sign-in`,
    keys: `${base}/settings/api-keys`,
    home: `${base}/home`,
    credits: `${base}/credits`,
  };
}

/** The path of `publicUrl` without a slash at its end; empty at the root of a host. */
export const basePath = (publicUrl: string): string =>
  URL.canParse(publicUrl) ? new URL(publicUrl).pathname.replace(/\/+$/, "") : "";
