import type { Handler } from '../handler.ts';
import { signData } from './sign-data.ts';

/** Answers with a URL to remove a part of a write-ahead log. */
export const delWal: Handler<'reqDelWAL'> = (call) => signData(call, 'resDelWAL', 'DELETE');
