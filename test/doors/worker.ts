/**
 * The app as workerd runs it: what the platform gives, and nothing of Node. The memory ledger stands in for a store.
 * Several houses live here at once, named by a header; commands come on a path outside of the API.
 */
import { createApp } from "#http/app.ts";
import { createSite } from "#http/pages/site.ts";
import { createMemoryLedger } from "#store/memory.ts";
import { type Command, createBackstage } from "./backstage.ts";

const ALGORITHMS = { sha1: "SHA-1", sha256: "SHA-256", sha384: "SHA-384", sha512: "SHA-512" };

type OpenOrder = { publicUrl: string; secrets: string[]; rateLimit: number };
type House = ReturnType<typeof open>;

const houses = new Map<string, House>();

function open({ publicUrl, secrets, rateLimit }: OpenOrder) {
  const time = { now: () => Date.now(), elapsed: () => performance.now() };
  const backstage = createBackstage(createMemoryLedger(), time);
  const digest = async (name: keyof typeof ALGORITHMS, bytes: Uint8Array) =>
    new Uint8Array(await crypto.subtle.digest(ALGORITHMS[name], bytes as Uint8Array<ArrayBuffer>));
  const app = createApp(
    {
      ...backstage.parts,
      settings: { publicUrl, secrets, rateLimit, version: "0.0.0", metricsToken: null },
      random: (count) => crypto.getRandomValues(new Uint8Array(count)),
      digest,
      hashKey: async (key) => toHex(await digest("sha256", new TextEncoder().encode(key))),
      runHeavy: null,
      compress: null,
      isLocal: () => false,
      metrics: null,
      people: null,
      farLedger: null,
      pages: null,
      observe() {},
    },
    createSite,
  );
  return { app, backstage };
}

const toHex = (bytes: Uint8Array) =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const name = request.headers.get("x-test-house") ?? "";
    if (pathname === "/test/open") {
      houses.set(name, open((await request.json()) as OpenOrder));
      return new Response();
    }
    const house = houses.get(name);
    if (house === undefined) return new Response("no such house", { status: 500 });
    if (pathname !== "/test/perform") return house.app.fetch(request);
    try {
      const value = await house.backstage.perform((await request.json()) as Command);
      return Response.json({ value });
    } catch (error) {
      return Response.json({ error: String(error) });
    }
  },
};
