/** Loaded into a measured server where there is no /proc: tells its CPU time when it is asked. */
process.on("message", (question) => {
  if (question === "cpu") process.send?.(process.cpuUsage());
});
// The channel alone does not keep a server running that was told to stop.
process.channel?.unref();
