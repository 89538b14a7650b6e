/** `npm run build`: what `npm start` would build. */
import { ensureBuilt, ensureInstalled, requireNode } from './ready.mjs';

requireNode();
ensureInstalled();
ensureBuilt();
