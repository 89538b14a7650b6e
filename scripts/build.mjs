/** `npm run build`: builds everything that `npm start` needs. */
import { ensureBuilt, ensureInstalled, requireNode } from './ready.mjs';

requireNode();
ensureInstalled();
await ensureBuilt();
