const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Formats a size in units of 1,000 bytes. */
export function bytesText(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (size >= 999.5 && unit < UNITS.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit === 0 || size >= 99.95 ? Math.round(size) : Number(size.toFixed(1))} ${UNITS[unit]}`;
}
