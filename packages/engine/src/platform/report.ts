/** Tells the developer of what no caller can be told. */
export function reportToConsole(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: the one place where the engine logs
  console.error(error);
}
