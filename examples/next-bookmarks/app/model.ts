import { collection } from 'fixpoint';
import { boolean, number, object, pipe, regex, string, url } from 'valibot';

/** The compiler and the database check each bookmark. */
export const bookmarks = collection('bookmarks', {
  schema: object({ address: pipe(string(), url(), regex(/^https?:/)), isRead: boolean(), at: number() }),
  indexes: [['isRead', 'at'], 'at'],
});
