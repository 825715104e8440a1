/** Commands of the command line as messages print them. */

/** How an operator starts the command line. */
export const PROGRAM = "npm run -s toolbooth --";

/**
 * Returns a command that can be pasted into a shell as it stands. `name` may contain several words; each of `args` is one word, and is
 * quoted if a shell would change it.
 */
export const commandLine = (name: string, ...args: readonly string[]): string =>
  [PROGRAM, name, ...args.map(quote)].join(" ");

/** The same for the middle of a sentence, so that no punctuation is taken for a part of the command. */
export const quotedCommand = (name: string, ...args: readonly string[]): string =>
  `\`${commandLine(name, ...args)}\``;

const quote = (word: string) =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
