import type { Handler } from '../handler.ts';
import { signData } from './sign-data.ts';

/** Answers with a URL to upload an object. Requires the right to write. */
export const putData: Handler<'reqPutData'> = (call) => signData(call, 'resPutData', 'PUT');
