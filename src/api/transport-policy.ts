/** Once a browser has seen the service over TLS it never asks for it without TLS (RFC 6797, which forbids the header over plain HTTP). */
export const transportPolicy = (publicUrl: string): Record<string, string> =>
  publicUrl.startsWith("https:") ? { "Strict-Transport-Security": "max-age=31536000" } : {};
