/** A page whose databases a test works with from outside. */
import { fixpoint, toCloud } from 'fixpoint';

Object.assign(globalThis, { fixpoint, toCloud });
