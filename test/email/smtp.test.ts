import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import type { SMTPServerOptions } from "smtp-server";
import { securityEmail } from "#accounts/security-emails.ts";
import { createEmails } from "#email/emails.ts";
import type { Email } from "#email/mail.ts";
import type { SmtpServer } from "#email/read-mail-settings.ts";
import { TemporaryFailure, Undeliverable, Unreachable } from "#email/transport.ts";
import { freePort } from "../support/ports.ts";
import { createFixture, emailTo, START } from "./mail-fixture.ts";
import {
  at,
  openTransport,
  PATIENT,
  problem,
  type Received,
  startMailServer,
} from "./smtp-fixture.ts";

const NEVER = new AbortController().signal;
const SECRET = "token=SECRET";
const WITHOUT_TLS = { hideSTARTTLS: true, disabledCommands: ["STARTTLS"] };
const EMAIL = emailTo("ada@example.org", { text: SECRET });

/** The outcome of sending one email to a server started with these options. */
async function fateOf(
  t: TestContext,
  options: SMTPServerOptions,
  changes: Partial<SmtpServer> = {},
  times = PATIENT,
): Promise<Error> {
  const { port } = await startMailServer(t, options);
  const transport = openTransport(t, at(port, changes), times);
  return failureOf(transport.send(EMAIL, "<eml_1@toolbooth.example>", NEVER));
}

async function failureOf(sending: Promise<void>): Promise<Error> {
  const error = await sending.then(
    () => assert.fail("the email was accepted"),
    (thrown: Error) => thrown,
  );
  assert.doesNotMatch(error.message, /SECRET|ada|hunter2/);
  return error;
}

test("every email arrives as it was composed", async (t) => {
  const server = await startMailServer(t);
  const { sender, mail } = createFixture({ transport: openTransport(t, at(server.port)) });
  const whose = { publicUrl: "https://toolbooth.example", name: "Toolbooth" };
  const emails = createEmails(whose);
  const order = {
    to: "ada@example.org",
    now: START,
    expiresAt: START + 3_600_000,
    code: "12345678",
    origin: [],
    kind: "sign_in_code" as const,
    link: `https://toolbooth.example/sign-in/link#${"aB3".repeat(80)}`,
  };
  const label = "Ключ «Füchse» 🦊 مفتاح <b>";
  const composed = [
    emails.signInCode(order),
    securityEmail(whose, "bob@example.org", {
      ...{ kind: "key_created", at: START, detail: label, address: null, browser: null },
    }) as Email,
    emailTo("eve@example.org", {
      subject: "Grüße aus Köln 🐝 — zweite Zeile, die lang genug zum Falten ist",
    }),
  ];
  for (const message of composed) await mail.enqueue(message);
  assert.equal(await sender.deliverDue(), null);
  for (const message of composed) {
    const { email, from, to, raw } = server.received.find(
      (each) => each.to[0] === message.to,
    ) as Received;
    assert.deepEqual([from, to], ["post@toolbooth.example", [message.to]]);
    assert.equal(email.subject, message.subject);
    assert.deepEqual(email.from, { name: "Toolbooth", address: "post@toolbooth.example" });
    assert.deepEqual(email.to, [{ name: "", address: message.to }]);
    assert.equal(email.text?.trimEnd(), message.text.trimEnd());
    assert.equal(email.html?.trimEnd(), message.html.trimEnd());
    assert.match(raw, /^Auto-Submitted: auto-generated\r$/m);
    assert.ok(raw.split("\r\n").every((line) => line.length <= 998));
  }
  assert.equal(new Set(server.received.map(({ email }) => email.messageId)).size, 3);
});

const WRONG_LOGIN = { login: { user: "toolbooth", password: "hunter2" } };
const REJECTIONS: [
  name: string,
  kind: typeof Undeliverable | typeof TemporaryFailure | typeof Unreachable,
  options: SMTPServerOptions,
  changes?: Partial<SmtpServer>,
][] = [
  [
    "a recipient rejected for good",
    Undeliverable,
    { onRcptTo: (_, __, callback) => callback(problem(550, `5.1.1 no ada here, ${SECRET}`)) },
  ],
  [
    "a message rejected for good",
    Undeliverable,
    {
      onData(stream, _, callback) {
        stream.resume();
        stream.on("end", () => callback(problem(554, `spam: ${SECRET}`)));
      },
    },
  ],
  [
    "a recipient rejected for now",
    TemporaryFailure,
    { onRcptTo: (_, __, callback) => callback(problem(451, "come back later")) },
  ],
  [
    "a rejected sender",
    Unreachable,
    { onMailFrom: (_, __, callback) => callback(problem(550, "not from you")) },
  ],
  [
    "a rejected login",
    Unreachable,
    { onAuth: (_, __, callback) => callback(null), authOptional: false },
    WRONG_LOGIN,
  ],
  ["a remote server without TLS", Unreachable, WITHOUT_TLS, { isLoopback: false }],
  ["a remote server with an untrusted certificate", Unreachable, {}, { isLoopback: false }],
];

test("each rejection is classified by whether the email, the moment or the setup is the cause", async (t) => {
  for (const [name, kind, options, changes] of REJECTIONS) {
    const fate = await fateOf(t, options, changes);
    assert.ok(fate instanceof kind, `${name}: ${fate.name}`);
    if (name.startsWith("a recipient rejected for good"))
      assert.match(fate.message, /\(550 5\.1\.1, .*RCPT TO\)/);
  }
});

test("emails are sent with user and password where they are set", async (t) => {
  const logins: unknown[] = [];
  const server = await startMailServer(t, {
    authOptional: false,
    onAuth({ username, password }, _, callback) {
      logins.push([username, password]);
      callback(null, { user: username });
    },
  });
  const login = { user: "toolbooth", password: "p@ss:wörd" };
  const transport = openTransport(t, at(server.port, { login }));
  await transport.send(EMAIL, "<eml_1@toolbooth.example>", NEVER);
  assert.deepEqual(logins, [["toolbooth", "p@ss:wörd"]]);
});

test("a server that is silent after the message has not accepted it", async (t) => {
  const fate = await fateOf(
    t,
    { onData: (stream) => void stream.resume() },
    {},
    { ...PATIENT, silenceMs: 3_000 },
  );
  assert.ok(fate instanceof TemporaryFailure);
});

test("a server that does not greet, hangs up or does not listen is unreachable", async (t) => {
  const sockets: Socket[] = [];
  let greet = (socket: Socket) => void sockets.push(socket);
  const silent = createServer((socket) => greet(socket));
  const close = () => {
    silent.close();
    for (const socket of sockets) socket.destroy();
  };
  t.after(close);
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as { port: number };
  const send = () => {
    const transport = openTransport(t, at(port), { ...PATIENT, greetingMs: 200 });
    return failureOf(transport.send(EMAIL, "<eml_1@toolbooth.example>", NEVER));
  };
  assert.ok((await send()) instanceof Unreachable);
  greet = (socket) => void socket.destroy();
  assert.ok((await send()) instanceof Unreachable);
  close();
  assert.ok((await send()) instanceof Unreachable);
});

test("an abort ends a hanging attempt", async (t) => {
  const abort = new AbortController();
  const { port } = await startMailServer(t, {
    onData(stream) {
      stream.resume();
      abort.abort();
    },
  });
  const transport = openTransport(t, at(port));
  await failureOf(transport.send(EMAIL, "<eml_1@toolbooth.example>", abort.signal));
});

test("after a connection broke within the message, the email arrives at the next attempt under the same Message-ID", async (t) => {
  let cuts = 0;
  const sockets: Socket[] = [];
  // In plain text, so that the proxy sees where the message begins.
  const proxied = await startMailServer(t, WITHOUT_TLS);
  // A proxy in front of the server that cuts the first connection once the message has begun.
  const cutter = createServer((socket) => {
    sockets.push(socket);
    const inner = new (socket.constructor as typeof Socket)();
    inner.connect(proxied.port, "127.0.0.1");
    for (const each of [socket, inner]) each.on("error", () => {});
    inner.pipe(socket);
    socket.on("data", (chunk) => {
      if (cuts === 0 && chunk.includes("Message-ID")) {
        cuts += 1;
        inner.destroy();
        socket.destroy();
      } else if (!inner.destroyed) inner.write(chunk);
    });
    socket.on("close", () => inner.destroy());
  });
  await new Promise<void>((resolve) => cutter.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    cutter.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = cutter.address() as { port: number };
  const { sender, mail, clock } = createFixture({ transport: openTransport(t, at(port)) });
  await mail.enqueue(EMAIL);
  const next = await sender.deliverDue();
  assert.equal(cuts, 1);
  assert.ok(next !== null && next > clock.now);
  clock.now = next;
  assert.equal(await sender.deliverDue(), null);
  assert.equal(proxied.received.length, 1);
});

test("a server that was down gets the emails queued meanwhile", async (t) => {
  const first = await startMailServer(t, {}, await freePort());
  const { sender, mail, clock } = createFixture({ transport: openTransport(t, at(first.port)) });
  await mail.enqueue(emailTo("one@example.org"));
  assert.equal(await sender.deliverDue(), null);
  await first.close();
  await mail.enqueue(emailTo("two@example.org"));
  await mail.enqueue(emailTo("three@example.org"));
  clock.now = (await sender.deliverDue()) as number;
  assert.ok(clock.now > START);
  const second = await startMailServer(t, {}, first.port);
  for (let next: number | null = clock.now; next !== null; next = await sender.deliverDue())
    clock.now = next;
  assert.deepEqual(second.received.map(({ to }) => to[0]).sort(), [
    "three@example.org",
    "two@example.org",
  ]);
});
