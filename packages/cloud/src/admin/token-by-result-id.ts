import { fetchToken } from '../tokens/hand-off.ts';
import type { Handler } from './handler.ts';

export const tokenByResultId: Handler<'reqTokenByResultId'> = {
  run: async ({ db, now, from, guesses }, { resultId }) => {
    await guesses.allow(from ?? 'unknown', resultId);
    const token = await fetchToken(db, resultId, now);
    return token === undefined ? { resultId, status: 'not-found' } : { resultId, status: 'found', token };
  },
};
