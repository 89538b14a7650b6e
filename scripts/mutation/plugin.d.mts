import type { Plugin } from 'vite';

export function mutantPlugin(json: string): Plugin;
