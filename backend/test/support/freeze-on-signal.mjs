// For `--import`: SIGUSR2 blocks the event loop for good, as a bug would.
process.on('SIGUSR2', () => {
  for (;;);
});
