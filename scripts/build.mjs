/** `npm run build`: builds the same as `npm start`. */
import { ensureBuilt, ensureInstalled, requireNode } from './ready.mjs';

requireNode();
ensureInstalled();
ensureBuilt();
