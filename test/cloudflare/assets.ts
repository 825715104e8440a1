import { randomUUID } from "node:crypto";
import { ApiProblem } from "./api-error.ts";

/** Upload sessions for assets: a manifest, the files that are missing, and a token for the deployment. */
type Session = {
  script: string;
  manifest: Record<string, { hash: string; size: number }>;
  missing: Set<string>;
  completion: string;
};

export function createAssetStore() {
  const files = new Map<string, Buffer>();
  const sessions = new Map<string, Session>();
  /** Unsigned, but with the parts of a JWT, because Wrangler reads its payload. */
  const token = () =>
    `${Buffer.from("{}").toString("base64url")}.${Buffer.from(JSON.stringify({ id: randomUUID() })).toString("base64url")}.x`;

  return {
    open(script: string, manifest: Session["manifest"]) {
      for (const [name, { hash, size }] of Object.entries(manifest)) {
        if (!name.startsWith("/") || !/^[0-9a-f]{32}$/.test(hash) || !Number.isInteger(size))
          throw new ApiProblem(400, 100_100, `The manifest's entry for ${name} is not valid`);
      }
      const hashes = new Set(Object.values(manifest).map(({ hash }) => hash));
      const missing = new Set([...hashes].filter((hash) => !files.has(hash)));
      const session = { script, manifest, missing, completion: token() };
      const jwt = missing.size === 0 ? session.completion : token();
      sessions.set(jwt, session);
      return { jwt, buckets: missing.size === 0 ? [] : [[...missing]] };
    },

    async upload(authorization: string | undefined, form: FormData) {
      const session = sessions.get(authorization?.replace("Bearer ", "") ?? "");
      if (session === undefined) throw new ApiProblem(401, 10_000, "No such upload session");
      for (const [hash, part] of form) {
        if (typeof part === "string" || !session.missing.has(hash))
          throw new ApiProblem(400, 100_101, `${hash} was not asked for`);
        const bytes = Buffer.from(await part.text(), "base64");
        const size = Object.values(session.manifest).find((each) => each.hash === hash)?.size;
        if (bytes.length !== size)
          throw new ApiProblem(
            400,
            100_102,
            `${hash} has ${bytes.length} bytes instead of ${size}`,
          );
        files.set(hash, bytes);
        session.missing.delete(hash);
      }
      if (session.missing.size > 0) return { result: {}, status: 200 };
      sessions.set(session.completion, session);
      return { result: { jwt: session.completion }, status: 201 };
    },

    filesOf(jwt: string, script: string): Map<string, Buffer> {
      const session = [...sessions.values()].find((each) => each.completion === jwt);
      if (session === undefined || session.missing.size > 0 || session.script !== script)
        throw new ApiProblem(400, 10_021, "The assets' token is not that of a complete session");
      return new Map(
        Object.entries(session.manifest).map(([name, { hash }]) => [
          name,
          files.get(hash) as Buffer,
        ]),
      );
    },
  };
}
