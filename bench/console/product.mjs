/** Starts the console and the cloud for a measurement, and computes quantiles. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/**
 * Starts the product with its data in a folder. Returns its address, its process and a function
 * that stops it.
 */
export async function startProduct(folder) {
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    env: { ...process.env, FIXPOINT_DATA: folder, PORT: '0', LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = /https?:\/\/\S+/.exec(line)?.[0];
      if (found !== undefined) resolve(found.replace(/[/.]+$/, ''));
    });
    void ended.then((code) => reject(new Error(`the product ended with ${code}`)));
  });
  return { child, ended, url };
}

/** Returns the quantile of the values, rounded to a tenth. */
export function at(values, part) {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
  return Math.round(value * 10) / 10;
}
