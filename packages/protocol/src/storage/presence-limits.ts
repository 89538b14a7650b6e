/** The word in the field `features` of a gestalt. */
export const PRESENCE_FEATURE = 'presence';
/**
 * The start of each event about presence. Clients recognise events by it, before they parse JSON.
 * Events answer no request, so their `tid` says nothing.
 */
export const PRESENCE_EVENT = '{"type":"eventPresence","tid":"presence",';
/** Ids of clients: base58 text that is too long to guess or to choose twice by chance. */
export const PRESENCE_ID = /^[1-9A-HJ-NP-Za-km-z]{16,32}$/;
/** States on the wire: sealed bytes as base64url text. */
export const PRESENCE_STATE = /^[\w-]{1,2048}$/;
/** Characters of a state on the wire. */
export const PRESENCE_STATE_CHARS_MAX = 2048;
