/** The word in the field `features` of a gestalt. */
export const PRESENCE_FEATURE = 'presence';
/** The `tid` of events about presence, which answer no request. */
export const PRESENCE_TID = 'presence';
/** Ids of clients: base58 text that is too long to guess or to choose twice by chance. */
export const PRESENCE_ID = /^[1-9A-HJ-NP-Za-km-z]{16,32}$/;
/** States on the wire: sealed bytes as base64url text. */
export const PRESENCE_STATE = /^[\w-]{1,2048}$/;
/** Characters of a state on the wire. */
export const PRESENCE_STATE_CHARS_MAX = 2048;
