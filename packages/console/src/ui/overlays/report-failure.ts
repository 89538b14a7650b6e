/** Logs an error to the browser's console (spec §8), besides showing it. */
export function reportFailure(text: string): void {
  // biome-ignore lint/suspicious/noConsole: the one place that writes there
  console.error(text);
}
