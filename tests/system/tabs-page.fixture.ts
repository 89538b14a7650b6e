/** A page that gives the test control over its databases. */
import { fixpoint, toCloud } from 'fixpoint';

Object.assign(globalThis, { fixpoint, toCloud });
