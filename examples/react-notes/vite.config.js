import { fixpointConsole } from '@fixpoint/vite-plugin';
import react from '@vitejs/plugin-react';

/** @type {import('vite').UserConfig} */
export default { plugins: [react(), fixpointConsole()] };
