import { collection, fixpoint } from 'fixpoint';
import { createSession } from 'fixpoint/session';
import { number, object, string } from 'valibot';

export const COLUMNS = ['To do', 'Doing', 'Done'];

export const collections = {
  cards: collection('cards', {
    schema: object({ title: string(), column: string(), at: number() }),
    indexes: ['at'],
    // If one person moves a card while another one renames it, both changes are kept.
    merge: 'fields',
  }),
};
export const NAME = 'board';
export const db = fixpoint(NAME, { collections });

const { VITE_FIXPOINT_URL: base, VITE_FIXPOINT_APP: app } = import.meta.env;

/** Undefined until the file `.env` names a server: the board then stays on this device. */
export const session = base && app ? createSession({ base, app }) : undefined;
