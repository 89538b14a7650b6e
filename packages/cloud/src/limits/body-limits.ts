/**
 * The largest bodies and frames that the server reads, in bytes. The largest object is
 * `objectBytesMax` in `LIMITS`.
 */

/** A request to `/api`. */
export const ADMIN_BODY_BYTES_MAX = 65_536;
/** A request to `/fp`. */
export const GATEWAY_BODY_BYTES_MAX = 1_048_576;
/** A message on a websocket. */
export const FRAME_BYTES_MAX = 1_048_576;
/** A request to `/auth`. */
export const IDENTITY_BODY_BYTES_MAX = 16_384;
