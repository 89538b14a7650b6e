import type { Handler } from '../handler.ts';
import { signData } from './sign-data.ts';

/** A URL to upload an object. Needs the right to write. */
export const putData: Handler<'reqPutData'> = (call) => signData(call, 'resPutData', 'PUT');
