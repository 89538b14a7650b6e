import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';

const cloud = process.env.FIXPOINT_CLOUD ?? 'http://127.0.0.1:7371';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  resolve: { conditions: ['fixpoint-source', ...defaultClientConditions] },
  worker: { format: 'es' },
  // The policy of the page lets no data: address be loaded.
  build: { outDir: 'dist', emptyOutDir: true, assetsInlineLimit: 0, target: 'es2022' },
  server: {
    host: 'localhost',
    proxy: {
      '/api': cloud,
      '/auth': cloud,
      '/obj': cloud,
      '/.well-known': cloud,
      '/ws': { target: cloud, ws: true },
      // Requests to the gateway are PUTs of exactly this path; pages below it are the console's own.
      '^/fp$': cloud,
    },
  },
});
