/** HSTS: a browser that has used TLS never falls back to plain HTTP, over which RFC 6797 forbids the header. */
export const transportPolicy = (publicUrl: string): Record<string, string> =>
  publicUrl.startsWith("https:") ? { "Strict-Transport-Security": "max-age=31536000" } : {};
