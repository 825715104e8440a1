#!/usr/bin/env bash
# A command corrects a balance, `correct --credits -5`, and has a switch, `--charge=false` and `--charge=0`, which scripts put together from a variable. Eleven readers of command lines; `credits` is declared as a number or a text, `charge`
# as a boolean, wherever that is possible.
# Expected: -5, or an error that asks for `--credits=-5`, as util.parseArgs of Node has it; and not to charge, or an error.
# Seen on 2026-11-30: minimist 1.2.8, mri 1.2.0 and sade 1.8.1 read `--credits true` and a switch named 5: Number(true) is 1, so a credit is added in place of five that are taken. arg 5.0.2 and gunshi 0.37.2 charge for
# `--charge=false`, and with them minimist, mri and citty 0.2.2 for `--charge=0`. yargs 18.2.0 and meow 14.1.0 read all, cac 7.1.0, commander 15.1.0 and util.parseArgs read it or refuse it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts minimist@1.2.8 mri@1.2.0 sade@1.8.1 arg@5.0.2 gunshi@0.37.2 cac@7.1.0 citty@0.2.2 yargs@18.2.0 meow@14.1.0 commander@15.1.0
cat > seen.mjs <<'JS'
import { parseArgs } from "node:util";
import arg from "arg";
import { cac } from "cac";
import { parseArgs as citty } from "citty";
import { Command } from "commander";
import { cli } from "gunshi";
import meow from "meow";
import minimist from "minimist";
import mri from "mri";
import sade from "sade";
import yargs from "yargs";
const readers = {
  minimist: (args) => minimist(args, { boolean: ["charge"] }),
  mri: (args) => mri(args, { boolean: ["charge"] }),
  sade: (args) => sade("correct", true).option("--credits", "How many", 0).option("--charge", "Charge").action(() => {}).parse(["node", "correct", ...args], { lazy: true }).args[0],
  arg: (args) => {
    const { "--credits": credits, "--charge": charge } = arg({ "--credits": Number, "--charge": Boolean }, { argv: args });
    return { credits, charge };
  },
  gunshi: async (args) => {
    let values;
    await cli(args, { args: { credits: { type: "number" }, charge: { type: "boolean" } }, run: (context) => { values = context.values; } }, { name: "correct", renderHeader: null });
    if (!values) throw new Error("refused");
    return values;
  },
  cac: (args) => {
    const program = cac("correct");
    let values;
    program.command("").option("--credits <number>", "How many").option("--charge", "Charge").action((options) => { values = options; });
    program.parse(["node", "correct", ...args]);
    return values;
  },
  citty: (args) => citty(args, { credits: { type: "string" }, charge: { type: "boolean" } }),
  yargs: (args) => yargs(args).exitProcess(false).fail((message) => { throw new Error(message); }).option("credits", { type: "number" }).option("charge", { type: "boolean" }).parse(),
  meow: (args) => meow("", { argv: args, importMeta: import.meta, flags: { credits: { type: "number" }, charge: { type: "boolean" } } }).flags,
  commander: (args) => new Command().exitOverride().configureOutput({ writeErr() {} }).option("--credits <number>").option("--charge").parse(args, { from: "user" }).opts(),
  "util.parseArgs": (args) => parseArgs({ args, options: { credits: { type: "string" }, charge: { type: "boolean" } } }).values,
};
console.error = () => {};
const print = console.log;
console.log = () => {};
for (const [name, read] of Object.entries(readers)) {
  const seen = [];
  for (const [args, option] of [[["--credits", "-5"], "credits"], [["--charge=false"], "charge"], [["--charge=0"], "charge"]]) {
    const value = await Promise.resolve().then(() => read(args)).then((values) => values[option], () => "refused");
    seen.push(`${args.join(" ")} ${value}`);
  }
  print(`${name}: ${seen.join(", ")}`);
}
JS
seen=$(node seen.mjs)
echo "$seen"
[ "$seen" = 'minimist: --credits -5 true, --charge=false false, --charge=0 true
mri: --credits -5 true, --charge=false false, --charge=0 true
sade: --credits -5 true, --charge=false false, --charge=0 0
arg: --credits -5 -5, --charge=false true, --charge=0 true
gunshi: --credits -5 refused, --charge=false true, --charge=0 true
cac: --credits -5 refused, --charge=false false, --charge=0 refused
citty: --credits -5 -5, --charge=false false, --charge=0 true
yargs: --credits -5 -5, --charge=false false, --charge=0 false
meow: --credits -5 -5, --charge=false false, --charge=0 false
commander: --credits -5 -5, --charge=false refused, --charge=0 refused
util.parseArgs: --credits -5 refused, --charge=false refused, --charge=0 refused' ]
