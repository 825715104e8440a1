import assert from "node:assert/strict";
import { test } from "node:test";
import { DataFolderError } from "#apps/node/data-folder.ts";
import { mountOf, requireLastingData } from "#apps/node/data-mount.ts";
import type { Config } from "#config/config.ts";

/** A volume that is not mounted would lose a ledger silently. */
const MOUNTS = `1 0 0:50 / / rw,relatime master:1 - overlay overlay rw,lowerdir=/a
2 1 0:51 / /proc rw - proc proc rw
3 1 0:52 / /tmp rw,nosuid - tmpfs tmpfs rw,size=64m
4 1 254:1 /var/lib/docker/volumes/toolbooth/_data /data rw master:2 - ext4 /dev/vda1 rw
5 1 254:1 /elsewhere /with\\040space rw - xfs /dev/vdb rw
6 4 0:53 / /data/scratch rw - tmpfs tmpfs rw
`;
const STRIPE = { secretKey: "sk_test_1" } as unknown as Config["stripe"];
const SELLING = { dataDir: "/data", databaseUrl: null, stripe: STRIPE };

const isRefused = (config: Partial<typeof SELLING>, container: string | undefined = "oci") => {
  try {
    requireLastingData({ ...SELLING, ...config }, container, () => MOUNTS);
    return false;
  } catch (error) {
    assert.ok(error instanceof DataFolderError, String(error));
    return error.message;
  }
};

test("the mount of a path is the deepest one", () => {
  for (const [file, point, type] of [
    ["/data", "/data", "ext4"],
    ["/data/a", "/data", "ext4"],
    ["/database", "/", "overlay"],
    ["/data/scratch/a", "/data/scratch", "tmpfs"],
    ["/with space/a", "/with space", "xfs"],
    ["/", "/", "overlay"],
  ] as const)
    assert.deepEqual(mountOf(file, MOUNTS), { point, type }, file);
});

test("a container that sells credits needs a volume at its data folder, or PostgreSQL", () => {
  assert.equal(isRefused({}), false, "a volume is mounted");
  assert.equal(isRefused({ dataDir: "/data/more" }), false);
  const message =
    /^The data folder \/srv is lost together with this container.+ Mount a volume at \/srv \(.+\), or .+ DATABASE_URL\.$/;
  assert.match(String(isRefused({ dataDir: "/srv" })), message);
  assert.match(String(isRefused({ dataDir: "/tmp/x" })), /\/tmp\/x is lost/, "in memory");
  assert.equal(isRefused({ dataDir: "/srv", databaseUrl: "postgres://a/b" } as object), false);
});

test("a container that sells nothing may lose its data, and a machine keeps its data", () => {
  assert.equal(isRefused({ dataDir: "/srv", stripe: null }), false);
  assert.equal(isRefused({ dataDir: "/srv" }, ""), false);
  assert.equal(isRefused({ dataDir: "/srv" }, "lxc"), false);
});
