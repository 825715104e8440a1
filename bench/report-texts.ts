/** The text of the page that does not depend on the results. */
export const BEFORE = `# Benchmarks

How fast Toolbooth is, compared with a bare \`node:http\` server and with what you might build instead: Express 5 with marked, DOMPurify on jsdom and node-qrcode, and Fastify 5 with markdown-it, sanitize-html and qr. Both builds charge each call in a transaction of better-sqlite3.

\`npm run bench -- --report\` measures everything and writes this page. Absolute figures depend on the machine; compare ratios, and run it on your own hardware.`;

export const SHORT_RUN = `> [!WARNING]
> Some of these results are from a short run (\`--quick\`) or a busy machine. They show that the report works and say nothing about speed.`;

export const NO_RESULTS = `> [!NOTE]
> No results are saved yet. Run \`npm run bench -- --report\` to measure your machine.`;

export const AFTER = `## What did not pay

We tried these ideas, measured them and dropped them. Figures are CPU µs per call on two quiet cores, unless they say otherwise.

| Idea | Result |
| --- | --- |
| Buffers instead of strings for responses | No gain |
| Passing an object to \`writeHead\` | No gain over a head that is built as text |
| \`Atomics.waitAsync\` to wake the main thread | No gain over a message |
| Reading the clock less often | No gain |
| Flags of the garbage collector and a larger young generation | No gain. Collecting on one thread saves 4 µs, but not on the main thread, and lengthens pauses |
| A compiled check of the input | 30.9 instead of 30.8 µs, within the noise |
| Keeping accounts in memory as long as \`data_version\` stands | Worthless while other connections write: people's own events dropped all accounts 79 times in 5 s. Accounts are kept until somebody else changes the ledger |
| Node 26 instead of 24 | 26.9 instead of 28.6 µs; the bare server gained more (15.5 instead of 18.1) |
| pino's own destination for the access log | It takes 0.59 µs per line, so there is little to gain |
| A log line whose constant parts are built in advance | 1.01 instead of 1.07 µs: joining and encoding the pieces is what costs ([0036](decisions/0036-what-a-call-records.md)) |
| No router | No gain ([0004](decisions/0004-ledger-thread.md)) |
| Idempotency records inserted 16 at a time | No gain: their three indexes cost more than the statement ([0014](decisions/0014-one-ledger.md)) |
| PostgreSQL functions that decide in one round trip | Deciding in the node is 1.06 to 2.28 times as fast, although it takes two round trips, and each rule exists only once ([0011](decisions/0011-postgresql-fleet.md)) |
| PostgreSQL rows as JSON, arrays by column, \`unnest\`, updates by \`ctid\`, \`COPY … TO STDOUT\` | Up to a third more CPU time in PostgreSQL, or no gain ([0014](decisions/0014-one-ledger.md)) |
| A sanitizer after rendering Markdown | 30 times as long as rendering ([0006](decisions/0006-markdown-engine.md)) |
| Objects for the inlines of Markdown | A hostile megabyte took 24 times as long as an ordinary document; with columns of numbers, 4 times ([0006](decisions/0006-markdown-engine.md)) |

## Method

- **The server is the real one**, as \`npm start\` runs it, on an empty data folder: every call has a key, a debit on disk before its response, a log line and metrics. Only the rate limit is off. The log goes to the null device.
- **The bare server** parses the same body and sends the same response. It renders Markdown and QR codes with Toolbooth's engines, so the difference is the cost of metering.
- **The other builds** use each library as its documentation shows. They look up the key, debit a credit and record the call in one transaction, before the response. We simplified in their favor: they have no log, metrics, rate limit, idempotency, expiring credits or history by account. qr draws no PNG, so the Fastify build writes one with zlib.
- **Every SQLite syncs every commit** (\`synchronous=FULL\`, WAL). Where a disk sync takes almost no time, a transaction per call looks better than on a disk that is slower.
- **Equal results**: a test sends the same requests to all contenders, compares the responses and reads the QR codes. A run ends with an error if any response is not 200. At the end the servers are killed, and each ledger must have exactly the calls with a response.
- **Rounds**: contenders take turns in an order that changes, and ratios compare runs of the same round. Each contender is first warmed up, for as long as all rounds of a call take together, and the first round is discarded: CPU time per call falls until V8 has compiled the code, which takes our server about 60,000 calls. Results are medians; a wide range means that something else used the machine.
- **CPU time** is the user and system time of the server's process with all its threads. Other programs affect it less than throughput.
- **Limits**: one machine, loopback, no TLS. The load generator shares the cores with the server, which costs a server with several threads more than one with a single thread.

## How to run it

\`\`\`sh
npm ci
npm run bench -- --report            # all parts but memory, at most 25 minutes
npm run bench -- memory --report     # ten minutes
npm run bench -- --redraw            # draw this page again from docs/benchmarks/results.json
\`\`\`

\`--quick\` makes a short run, which only shows that everything works. \`npm run bench -- throughput\` prints one part and saves nothing. \`growth\` needs 4 GB of disk.
`;
