import type { Handler } from '../handler.ts';
import { signData } from './sign-data.ts';

/** Answers with a URL to upload a part of a write-ahead log. */
export const putWal: Handler<'reqPutWAL'> = (call) => signData(call, 'resPutWAL', 'PUT');
