/**
 * Version of the storage messages (spec §9). Older clients send other texts; no message is rejected
 * for its version.
 */
export const MESSAGE_VERSION = 'FP-MSG-1.0';
/** Version of the cloud gateway, as it appears in storage URLs (spec §9). */
export const GATEWAY_VERSION = 'v0.1-fp-cloud';
