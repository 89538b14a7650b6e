/**
 * `npm start`: installs and builds missing or stale parts, then serves the console and the cloud on
 * one origin.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SERVER } from './bundle-node.mjs';
import { ensureBuilt, ensureInstalled, requireNode, root } from './ready.mjs';

requireNode();
ensureInstalled();
await ensureBuilt();
process.env.CONSOLE_DIR ??= join(root, 'packages', 'console', 'dist');
await import(pathToFileURL(join(root, SERVER)).href);
