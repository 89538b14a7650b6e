/**
 * Runs the workloads in Chromium. Builds and serves the page locally, and opens a new page for each
 * workload.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { chromium } from 'playwright-core';
import { build } from 'vite';
import { WORKLOADS } from '../workloads.mjs';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };

export const runInChromium = ({ executablePath, rounds, size, results, note }) =>
  withPages(import.meta.dirname, executablePath, async (open) => {
    const first = await open();
    const adapters = await first.evaluate(() => window.adapters);
    await first.close();
    for (let round = 1; round <= rounds; round++)
      for (const workload of Object.keys(WORKLOADS))
        for (const { name, lacks } of adapters) {
          note(`Chromium, round ${round}: ${workload} ${name}`);
          results.lacks('Chromium', name, lacks);
          const page = await open();
          const rows = await page
            .evaluate(
              ([adapter, id, sizes]) => window.runWorkload(adapter, id, sizes),
              [name, workload, size],
            )
            .catch((cause) =>
              process.stderr.write(`${name} failed at ${workload}: ${cause.message.slice(0, 300)}\n`),
            );
          for (const row of Array.isArray(rows) ? rows : []) results.add('Chromium', name, row);
          await page.close();
        }
  });

/**
 * Builds and serves the page of a folder, and calls `work` with a function that opens the page. All
 * pages share a new profile.
 */
export async function withPages(root, executablePath, work) {
  const { url, close } = await serveBuilt(root);
  const profile = mkdtempSync(join(tmpdir(), 'fixpoint-bench-profile-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    await work(async () => {
      const page = await context.newPage();
      await page.goto(url);
      return page;
    });
  } finally {
    await context.close();
    close();
    rmSync(profile, { recursive: true, force: true });
  }
}

async function serveBuilt(root) {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-bench-page-'));
  await build({
    root,
    logLevel: 'error',
    build: { outDir: folder, emptyOutDir: true, target: 'es2022', minify: true, chunkSizeWarningLimit: 5000 },
  });
  const server = await serve(folder);
  return {
    url: `http://127.0.0.1:${server.address().port}/index.html`,
    close: () => {
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function serve(folder) {
  const server = createServer((request, response) => {
    try {
      const path = new URL(request.url, 'http://localhost').pathname;
      const bytes = readFileSync(join(folder, path));
      response
        .writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' })
        .end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}
