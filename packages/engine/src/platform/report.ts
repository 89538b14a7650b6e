/** Logs an error that no caller can receive, so that the developer sees it. */
export function reportToConsole(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: the one place where the engine logs
  console.error(error);
}
