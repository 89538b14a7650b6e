import type { Handler } from '../handler.ts';
import { signData } from './sign-data.ts';

/** Answers with a URL to remove an object. Requires the right to write. */
export const delData: Handler<'reqDelData'> = (call) => signData(call, 'resDelData', 'DELETE');
