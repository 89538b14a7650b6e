import type { Handler } from '../handler.ts';
import { signData } from './sign-data.ts';

/** Answers with a URL to download a part of a write-ahead log. */
export const getWal: Handler<'reqGetWAL'> = (call) => signData(call, 'resGetWAL', 'GET');
