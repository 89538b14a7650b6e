/** What is seldom done to a whole database: loaded together, so that it is one script and what it shares with the rest is cut in few pieces. */

export { collectFiles } from './collect-files.ts';
export { createCompactor } from './compactor.ts';
export { joinedHistory } from './joined-history.ts';
export { rebuiltSnapshot } from './rebuilt-snapshot.ts';
export { verifyStored } from './verify.ts';
