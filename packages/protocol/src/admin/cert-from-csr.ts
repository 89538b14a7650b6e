import * as z from 'zod/mini';
import { exchange } from './exchange.ts';

/**
 * Makes a key of a device one that signs in as the caller: what it signs is used as `auth: {type: 'device-id', token}`. `csr` is a JWT that the key signed itself
 * (header `jwk`, `typ: CSR+JWT`; claim `csr: {subject: {commonName}, publicKey}`), `certificate` one that the server signed (`typ: CERT+JWT`). The device is listed
 * and revoked as a token of the caller. CONFLICT for a key that is somebody else's.
 */
export const certFromCsr = exchange(
  { csr: z.string().check(z.minLength(1), z.maxLength(16_384)) },
  { certificate: z.string() },
);
