import type { Handler } from '../handler.ts';
import { signData } from './sign-data.ts';

/** Answers with a URL to download an object. */
export const getData: Handler<'reqGetData'> = (call) => signData(call, 'resGetData', 'GET');
