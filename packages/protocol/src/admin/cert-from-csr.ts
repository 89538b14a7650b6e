import * as z from 'zod/mini';
import { exchange } from './exchange.ts';

/**
 * Registers a device key that can sign in as the caller: its signatures are used as `auth: {type:
 * 'device-id', token}`. `csr` is a JWT that the key signed itself (header `jwk`, `typ: CSR+JWT`;
 * claim `csr: {subject: {commonName}, publicKey}`); `certificate` is a JWT that the server signed
 * (`typ: CERT+JWT`). The device is listed and revoked as a token of the caller. CONFLICT for a key
 * that belongs to somebody else.
 */
export const certFromCsr = exchange(
  { csr: z.string().check(z.minLength(1), z.maxLength(16_384)) },
  { certificate: z.string() },
);
