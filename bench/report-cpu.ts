/** Preloaded into a measured server on systems without /proc. Reports its CPU time on request. */
process.on("message", (message) => {
  if (message === "cpu") process.send?.(process.cpuUsage());
});
// The channel must not keep a stopping server alive.
process.channel?.unref();
