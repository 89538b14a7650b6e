/**
 * Requests that sign in programs and devices. The first four sign in a program without a browser,
 * as in RFC 8628 (Fixpoint extensions): the program shows `userCode` and the address of the
 * console's page, and polls with `deviceCode`, which is its secret.
 */
import * as v from 'valibot';
import { defineRequest } from './define-request.ts';
import { oneOf } from './field-schemas.ts';
import * as shapes from './shapes.ts';

export const loginRequests = {
  reqStartLogin: defineRequest({
    summary: 'Start to sign a device in',
    description:
      'Returns a code that a user approves in the console, and a secret to poll with. Needs no `auth`.',
    requires: 'nobody',
    token: 'never',
    audited: false,
    payload: {
      /** The name that the user sees, such as `fixpoint cli on laptop`. */
      client: shapes.name,
    },
    answer: {
      deviceCode: v.string(),
      userCode: v.string(),
      verificationUrl: v.string(),
      expiresInSec: v.number(),
      intervalSec: v.number(),
    },
    ask: (client: string) => ({ client }),
  }),
  /** NOT_FOUND for a code that is wrong, used or expired. */
  reqDescribeLogin: defineRequest({
    summary: 'Describe a device’s code',
    description: 'Returns which device shows a code and where it asks from, so that the caller can decide.',
    requires: 'user:active',
    // A leaked token must not sign anybody in.
    token: 'never',
    audited: false,
    payload: { userCode: shapes.userCode },
    answer: { client: v.string(), createdAt: v.string(), from: v.optional(v.string()) },
    ask: (userCode: string) => ({ userCode }),
  }),
  reqDecideLogin: defineRequest({
    summary: 'Approve a device’s code',
    description:
      'Approves or denies the device’s sign-in as the caller. Approving needs a sign-in or confirmation in the last 15 minutes (CONFIRM_IDENTITY).',
    requires: 'user:active',
    token: 'never',
    audited: false,
    payload: { userCode: shapes.userCode, approve: v.boolean() },
    answer: { status: oneOf(['approved', 'denied']) },
    ask: (userCode: string, approve: boolean) => ({ userCode, approve }),
    take: ({ status }) => status,
  }),
  /** RATE_LIMITED when polled too often. */
  reqPollLogin: defineRequest({
    summary: 'Fetch a device’s token',
    description:
      'Returns the user’s decision. After an approval, also returns the token, but only once. Needs no `auth`: the device code is the secret.',
    requires: 'nobody',
    token: 'never',
    audited: false,
    payload: { deviceCode: v.pipe(v.string(), v.minLength(8), v.maxLength(128)) },
    answer: { status: oneOf(['pending', 'approved', 'denied', 'expired']), token: v.optional(v.string()) },
    ask: (deviceCode: string) => ({ deviceCode }),
  }),
  /**
   * Signatures of the key are used as `auth: {type: 'device-id', token}`. `csr` is a JWT that the
   * key itself signed (header `jwk`, `typ: CSR+JWT`; claim `csr: {subject: {commonName},
   * publicKey}`); `certificate` is a JWT that the server signed (`typ: CERT+JWT`). The device is
   * listed and revoked like an API token of the caller. CONFLICT for a key that belongs to somebody
   * else.
   */
  reqCertFromCsr: defineRequest({
    summary: 'Certify a device key',
    description:
      'Registers a device key, which can sign in as the caller for 90 days. Needs a sign-in or confirmation in the last 15 minutes (CONFIRM_IDENTITY).',
    requires: 'user:active',
    token: 'never',
    audited: false,
    payload: { csr: v.pipe(v.string(), v.minLength(1), v.maxLength(16_384)) },
    answer: { certificate: v.string() },
    ask: (csr: string) => ({ csr }),
    take: ({ certificate }) => certificate,
  }),
} as const;
