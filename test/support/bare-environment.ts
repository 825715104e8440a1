/** What a process of ours is started with besides its settings: where programs are, and where compiled code is kept. */
export function bareEnvironment(): Record<string, string> {
  const names = ["PATH", "NODE_COMPILE_CACHE"];
  return Object.fromEntries(names.map((name) => [name, process.env[name] ?? ""]));
}
