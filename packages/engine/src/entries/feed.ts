/** `fixpoint/feed`: reads the changes of a database in pages, for servers and exports. */
export { type ChangeFeed, changeFeed, type FeedPage } from '../database/change-feed.ts';
