import type { Handler } from '../handler.ts';
import { signData } from './sign-data.ts';

/** A URL to download a part of a write-ahead log. */
export const getWal: Handler<'reqGetWAL'> = (call) => signData(call, 'resGetWAL', 'GET');
