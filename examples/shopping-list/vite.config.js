import { readFileSync } from 'node:fs';
import { fixpointConsole } from '@fixpoint/vite-plugin';
import react from '@vitejs/plugin-react';

/** Adds a service worker that stores all built files, so that the page opens without a network. */
const offline = {
  name: 'offline',
  generateBundle(_options, bundle) {
    const files = ['./', ...Object.keys(bundle).filter((name) => !name.endsWith('.html'))];
    const code = readFileSync(new URL('./src/offline-worker.js', import.meta.url), 'utf8');
    const source = `const FILES = ${JSON.stringify(files)};\n${code}`;
    this.emitFile({ type: 'asset', fileName: 'worker.js', source });
  },
};

/** @type {import('vite').UserConfig} */
export default { plugins: [react(), fixpointConsole(), offline] };
