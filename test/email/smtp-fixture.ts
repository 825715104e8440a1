/** A real SMTP server on this machine that accepts emails, or misbehaves as the test says. */
import type { Socket } from "node:net";
import type { TestContext } from "node:test";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { createSmtpTransport, type SmtpTimes } from "#email/node-transports.ts";
import type { SmtpServer } from "#email/read-mail-settings.ts";
import { FROM } from "./mail-fixture.ts";

export type Received = { from: string; to: string[]; raw: string; email: Email };

/** Time limits that a busy machine does not reach. Tests about silence shorten one of them. */
export const PATIENT: SmtpTimes = {
  connectMs: 600_000,
  greetingMs: 600_000,
  silenceMs: 600_000,
  sendMs: 600_000,
};

export type MailServer = { port: number; received: Received[]; close(): Promise<void> };

export async function startMailServer(
  t: Pick<TestContext, "after">,
  options: SMTPServerOptions = {},
  port = 0,
): Promise<MailServer> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", async () => {
        const raw = Buffer.concat(chunks).toString("latin1");
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? "" : mailFrom.address;
        const to = rcptTo.map(({ address }) => address);
        received.push({ from, to, raw, email: await PostalMime.parse(Buffer.concat(chunks)) });
        callback();
      });
    },
    ...options,
  });
  // A connection that a client aborts does not fail the test.
  server.on("error", () => {});
  server.server.on("connection", (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  t.after(close);
  return { port: (server.server.address() as { port: number }).port, received, close };
}

/** The error with which the SMTP server rejects: the library takes the code from a property. */
export const problem = (code: number, text: string) =>
  Object.assign(new Error(text), { responseCode: code });

export const at = (port: number, changes: Partial<SmtpServer> = {}): SmtpServer => ({
  host: "127.0.0.1",
  port,
  secure: false,
  isLoopback: true,
  login: null,
  ...changes,
});

export function openTransport(t: TestContext, server: SmtpServer, times = PATIENT) {
  const transport = createSmtpTransport(server, FROM, times);
  t.after(() => transport.close?.());
  return transport;
}
