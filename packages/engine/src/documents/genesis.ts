import type { DocKey } from './doc-key.ts';
import { encodeDocument } from './encode.ts';

/**
 * The reserved document of the first write to an empty database. This document gives independently
 * created databases a common root.
 */
export const GENESIS_KEY = 'baembeiarootfireproofgenesisblockaaaafireproofgenesisblocka' as DocKey;

export const GENESIS_DOCUMENT = encodeDocument({}, GENESIS_KEY);
