const NAMES: Record<string, string> = { github: "GitHub", google: "Google" };

/** What the companies call themselves; one that is not known by name keeps the one that the service gave. */
export const providerName = (provider: string): string => NAMES[provider] ?? provider;
