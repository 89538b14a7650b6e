/**
 * Rarely used features, bundled as one lazy chunk, so that shared code is split into few pieces.
 */

export { collectFiles } from './collect-files.ts';
export { createCompactor } from './compactor.ts';
export { joinedHistory } from './joined-history.ts';
export { rebuiltSnapshot } from './rebuilt-snapshot.ts';
export { verifyStored } from './verify.ts';
