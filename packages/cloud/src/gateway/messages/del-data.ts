import type { Handler } from '../handler.ts';
import { signData } from './sign-data.ts';

/** A URL to remove an object. Needs the right to write. */
export const delData: Handler<'reqDelData'> = (call) => signData(call, 'resDelData', 'DELETE');
