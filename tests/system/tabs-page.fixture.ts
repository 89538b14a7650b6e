/** A page whose databases a test controls from outside. */
import { fixpoint, toCloud } from 'fixpoint';

Object.assign(globalThis, { fixpoint, toCloud });
