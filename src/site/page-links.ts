export type PageLinks = ReturnType<typeof pageLinks>;

/** Links within the service keep the path under which it is published, and work under any name of the machine. */
export function pageLinks(publicUrl: string) {
  const base = basePath(publicUrl);
  return {
    front: `${base}/`,
    docs: `${base}/docs`,
    calls: `${base}/docs/calls`,
    reference: `${base}/docs/reference`,
    errors: `${base}/docs/errors`,
    accounts: `${base}/docs/accounts`,
    webhooks: `${base}/docs/webhooks`,
    browserTools: `${base}/docs/browser-tools`,
    selfHosting: `${base}/docs/self-hosting`,
    openapi: `${base}/openapi.json`,
    tools: `${base}/tools`,
    signIn: `${base}/sign-in`,
    signUp: `${base}/sign-up`,
    keys: `${base}/settings/api-keys`,
    notificationSettings: `${base}/settings/notifications`,
    webhookSettings: `${base}/settings/webhooks`,
    account: `${base}/settings/account`,
    usage: `${base}/usage`,
    credits: `${base}/credits`,
  };
}

/** The path of the service without a slash at its end: empty at the root of a name. */
export const basePath = (publicUrl: string): string =>
  URL.canParse(publicUrl) ? new URL(publicUrl).pathname.replace(/\/+$/, "") : "";
