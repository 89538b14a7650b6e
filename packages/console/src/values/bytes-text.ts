const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Formats a size in B, kB, MB and larger units, each 1,000 times the previous one. */
export function bytesText(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (size >= 999.5 && unit < UNITS.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${unit === 0 || size >= 99.95 ? Math.round(size) : Number(size.toFixed(1))} ${UNITS[unit]}`;
}
