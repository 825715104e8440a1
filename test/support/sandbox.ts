import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

/**
 * Runs a command under what the systemd unit of `deploy/` denies, without systemd: a filter of system calls (seccomp), which Perl
 * sets, and a `/proc` that has processes only.
 */
export type Sandbox = {
  /** The start of a command line that runs the rest of it in the sandbox. */
  wrap: string[];
  /** The user that the command runs as; null for that of the tests. As root nothing would be denied that the unit's user is denied. */
  user: number | null;
};

const UNIT = path.join(import.meta.dirname, "../../deploy/toolbooth.service");

/** The values of an option of the unit, in the order of its lines. */
export const unitOption = (name: string): string[] =>
  [...readFileSync(UNIT, "utf8").matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(
    ([, value = ""]) => value.trim(),
  );

/** The numbers on x86-64 and on arm64 (linux/arch/x86/entry/syscalls/syscall_64.tbl, asm-generic/unistd.h). Null: not there. */
type Numbers = [x64: number | null, arm64: number | null];

/** The sets of systemd 252 (`systemd-analyze syscall-filter @resources`) that the unit denies. Those without a number on both are left out. */
const SETS: Record<string, Record<string, Numbers>> = {
  "@resources": {
    ...{ ioprio_set: [251, 30], mbind: [237, 235], migrate_pages: [256, 238] },
    ...{ move_pages: [279, 239], sched_setaffinity: [203, 122], sched_setattr: [314, 274] },
    ...{ sched_setparam: [142, 118], sched_setscheduler: [144, 119] },
    ...{ set_mempolicy: [238, 237], set_mempolicy_home_node: [450, 450] },
    ...{ setpriority: [141, 140], setrlimit: [160, 164] },
  },
  "@privileged": {
    ...{ chown: [92, null], fchown: [93, 55], fchownat: [260, 54], lchown: [94, null] },
    ...{ adjtimex: [159, 171], clock_adjtime: [305, 266], clock_settime: [227, 112] },
    ...{ settimeofday: [164, 170], delete_module: [176, 106], finit_module: [313, 273] },
    ...{ init_module: [175, 105], ioperm: [173, null], iopl: [172, null], reboot: [169, 142] },
    ...{ kexec_load: [246, 104], swapoff: [168, 225], swapon: [167, 224], acct: [163, 89] },
    ...{ bpf: [321, 280], capset: [126, 91], chroot: [161, 51], fanotify_init: [300, 262] },
    ...{ fanotify_mark: [301, 263], open_by_handle_at: [304, 265], pivot_root: [155, 41] },
    ...{ quotactl: [179, 60], setdomainname: [171, 162], setfsuid: [122, 151] },
    ...{ setgroups: [116, 159], sethostname: [170, 161], setresuid: [117, 147] },
    ...{ setreuid: [113, 145], setuid: [105, 146], vhangup: [153, 58] },
  },
};

const SOCKET: Numbers = [41, 198];
const CLONE3: Numbers = [435, 435];
const UNSHARE: Numbers = [272, 97];
const SETNS: Numbers = [308, 268];
const PERSONALITY: Numbers = [135, 92];
const FAMILIES: Record<string, number> = { AF_UNIX: 1, AF_INET: 2, AF_INET6: 10, AF_NETLINK: 16 };

const ARCHITECTURES: Record<string, { at: 0 | 1; audit: number; prctl: number }> = {
  x64: { at: 0, audit: 0xc000003e, prctl: 157 },
  arm64: { at: 1, audit: 0xc00000b7, prctl: 167 },
};

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** Loads the packed filter of the first argument, and runs the rest as a command. It makes a root first the user of the second argument. */
const LOADER = `
  my ($prctl, $hex, $user) = splice(@ARGV, 0, 3);
  if ($user) { $) = "$user $user"; $( = $user; ($<, $>) = ($user, $user); $> == $user or die "user: $!"; }
  my $code = pack("H*", $hex);
  my $program = pack("S x6 P", length($code) / 8, $code);
  syscall($prctl, 38, 1, 0, 0, 0) == 0 or die "no new privileges: $!";
  syscall($prctl, 22, 2, $program, 0, 0) == 0 or die "filter: $!";
  exec { $ARGV[0] } @ARGV or die "exec: $!";
`;

const NOBODY = 65_534;

/** Returns the sandbox of the unit, or why there is none on this machine. */
export function openSandbox(): Sandbox | { missing: string } {
  const architecture = ARCHITECTURES[process.arch];
  if (process.platform !== "linux" || architecture === undefined)
    return { missing: `no filter of system calls for ${process.platform} on ${process.arch}` };
  const user = process.getuid?.() === 0 ? NOBODY : null;
  const { prctl } = architecture;
  const filter = packFilter(architecture).toString("hex");
  const wrap = ["perl", "-e", LOADER, String(prctl), filter, user === null ? "" : String(user)];
  const tried = spawnSync(wrap[0] as string, [...wrap.slice(1), process.execPath, "--version"]);
  if (tried.status !== 0)
    return { missing: `Perl cannot set a filter here: ${tried.error ?? tried.stderr}` };
  return { wrap, user };
}

/** Runs the rest of a command line with the unit's `/proc`; null where this user may mount none, or where the system knows no such option. */
export function openProcSubset(): string[] | null {
  const [subset] = unitOption("ProcSubset");
  const [others] = unitOption("ProtectProc");
  const mount = `mount -t proc -o subset=${subset},hidepid=${others} proc /proc && exec "$@"`;
  // The signals for the server go to its whole group.
  const wrap = [
    ...["unshare", ...(process.getuid?.() === 0 ? [] : ["-Ur"]), "-mpf", "--kill-child"],
    ...["sh", "-c", mount, "sh"],
  ];
  const seen = "process.exit(require('node:fs').existsSync('/proc/meminfo') ? 1 : 0)";
  const tried = spawnSync(wrap[0] as string, [...wrap.slice(1), process.execPath, "-e", seen]);
  return tried.status === 0 ? wrap : null;
}

/** A program of classic BPF (linux/filter.h, linux/seccomp.h) that denies what the unit denies, and allows the rest. */
function packFilter({ at, audit }: { at: 0 | 1; audit: number }): Buffer {
  const load = (offset: number) => instruction(0x20, 0, 0, offset);
  /** Skips the next instruction unless the loaded value is this. */
  const unless = (value: number) => instruction(0x15, 0, 1, value);
  const allow = instruction(0x06, 0, 0, 0x7fff0000);
  const deny = (errno: number) => instruction(0x06, 0, 0, 0x00050000 | errno);
  const denied = (numbers: Numbers, errno = EPERM) => {
    const number = numbers[at];
    return number === null ? [] : [unless(number), deny(errno)];
  };
  const families = unitOption("RestrictAddressFamilies").flatMap((line) => line.split(/\s+/));
  return Buffer.concat([
    // `SystemCallArchitectures=native`.
    ...[load(4), instruction(0x15, 1, 0, audit), deny(ENOSYS)],
    load(0),
    ...deniedSets().flatMap((set) => Object.values(set).flatMap((each) => denied(each))),
    // `RestrictNamespaces`: systemd cannot look into the arguments of clone3, so it denies all of it.
    ...denied(CLONE3, ENOSYS),
    ...denied(UNSHARE),
    ...denied(SETNS),
    // `LockPersonality`.
    ...denied(PERSONALITY),
    ...[instruction(0x15, 1, 0, SOCKET[at] as number), allow],
    load(16),
    ...families.flatMap((family) => [unless(FAMILIES[family] ?? -1), allow]),
    deny(EAFNOSUPPORT),
  ]);
}

/** The sets behind the `~` of the unit's lines. Throws for a set that is not in the table. */
function deniedSets(): Record<string, Numbers>[] {
  const lines = unitOption("SystemCallFilter").filter((line) => line.startsWith("~"));
  return lines.flatMap((line) =>
    line
      .slice(1)
      .split(/\s+/)
      .map((name) => {
        const set = SETS[name];
        if (set === undefined)
          throw new Error(`${name} of the unit is not in test/support/sandbox.ts`);
        return set;
      }),
  );
}

function instruction(code: number, ifTrue: number, ifFalse: number, k: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(k >>> 0, 4);
  return bytes;
}
