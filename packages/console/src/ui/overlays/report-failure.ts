/** Logs an error to the browser's console, in addition to the visible message (spec §8). */
export function reportFailure(text: string): void {
  // biome-ignore lint/suspicious/noConsole: the one place that writes there
  console.error(text);
}
