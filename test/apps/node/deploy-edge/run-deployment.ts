import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { CERTIFICATE } from "../../../cloudflare/certificate.ts";
import { ACCOUNT, type FakeCloudflare, TOKEN } from "../../../cloudflare/fake-cloudflare.ts";
import { bareEnvironment } from "../../../support/bare-environment.ts";

const ROOT = path.join(import.meta.dirname, "../../../..");
const RUN_MS_MAX = 120_000;

export type Run = { code: number | null; stdout: string; stderr: string };

/** A folder with the settings of a deployment, and the command on a stand-in for Cloudflare. */
export function prepareDeployment(cloudflare: FakeCloudflare) {
  const folder = mkdtempSync(path.join(tmpdir(), "toolbooth-deploy-test-"));
  const file = path.join(folder, "edge.json");
  const certificate = path.join(folder, "certificate.pem");
  writeFileSync(certificate, CERTIFICATE);

  function start(options: readonly string[] = [], env: Record<string, string> = {}) {
    const child = spawn(
      process.execPath,
      [
        "--disable-warning=ExperimentalWarning",
        path.join(ROOT, "src/apps/node/deploy-edge/main.ts"),
        ...["--settings", file],
        ...["--connect-to", `127.0.0.1:${cloudflare.service.port}`],
        ...options,
      ],
      {
        cwd: ROOT,
        timeout: RUN_MS_MAX,
        env: {
          ...bareEnvironment(),
          HOME: folder,
          NODE_EXTRA_CA_CERTS: certificate,
          CLOUDFLARE_API_TOKEN: TOKEN,
          CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
          CLOUDFLARE_API_BASE_URL: cloudflare.url,
          ...env,
        },
      },
    );
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    const ended = new Promise<Run>((resolve) => {
      child.on("close", (code) => resolve({ code, stdout, stderr }));
    });
    return { child, ended };
  }

  return {
    folder,
    file,
    start,
    run: (options?: readonly string[], env?: Record<string, string>) => start(options, env).ended,
    writeSettings(settings: object) {
      writeFileSync(file, JSON.stringify(settings));
      chmodSync(file, 0o600);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
