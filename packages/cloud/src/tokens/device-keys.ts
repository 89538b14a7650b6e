/**
 * Keys of devices that sign in as a user. A device creates a P-256 key, and sends a signed request
 * for a certificate. Later it signs short-lived tokens, as existing clients do: JWTs whose header
 * `x5c[0]` is the base64 of the certificate's claims. We didn't sign that copy, so it only suggests
 * which key to try. The tables say to which user the key belongs.
 */
import { createHash } from 'node:crypto';
import { FixpointError } from '@fixpoint/protocol';
import { calculateJwkThumbprint, decodeProtectedHeader, importJWK, type JWK, jwtVerify } from 'jose';

const REQUEST_TYPE = 'CSR+JWT';
const TOKEN_SECONDS_MAX = 3600;
const CLOCK_TOLERANCE_SECONDS = 60;

export interface DeviceKey {
  readonly publicKey: JWK;
  /** The hash by which the tables find the key. */
  readonly hash: string;
}

/**
 * The claims of a certificate, in the format of existing clients. They contain the name of the
 * device, but not its user.
 */
export interface DeviceCertificate {
  readonly iss: string;
  readonly sub: string;
  readonly aud: string;
  readonly iat: number;
  readonly nbf: number;
  readonly exp: number;
  readonly jti: string;
  readonly certificate: Readonly<Record<string, unknown>>;
}

/**
 * Reads a signing request.
 * @throws FixpointError REQUEST_INVALID for a request that its key didn't sign, or that has expired
 */
export async function readSigningRequest(csr: string, now: number): Promise<DeviceKey & { name: string }> {
  try {
    const key = await deviceKey(decodeProtectedHeader(csr)['jwk']);
    const { payload } = await jwtVerify(csr, await importJWK(key.publicKey, 'ES256'), {
      algorithms: ['ES256'],
      typ: REQUEST_TYPE,
      currentDate: new Date(now),
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      requiredClaims: ['exp'],
    });
    const { csr: asked } = payload as { csr?: { publicKey?: unknown; subject?: { commonName?: unknown } } };
    if ((await deviceKey(asked?.publicKey)).hash !== key.hash) throw new Error('another key');
    return { ...key, name: nameOf(asked?.subject?.commonName) };
  } catch (cause) {
    throw new FixpointError('REQUEST_INVALID', 'csr is not valid or has expired', { cause });
  }
}

/**
 * Returns the key in the header of a device token. Doesn't verify that this key signed the token.
 * @throws FixpointError NOT_SIGNED_IN
 */
export async function claimedDeviceKey(token: string): Promise<DeviceKey> {
  try {
    const [chain] = decodeProtectedHeader(token).x5c ?? [];
    const { certificate } = JSON.parse(Buffer.from(chain ?? '', 'base64').toString('utf8')) as {
      certificate: { subjectPublicKeyInfo: unknown };
    };
    return await deviceKey(certificate.subjectPublicKeyInfo);
  } catch (cause) {
    throw new FixpointError('NOT_SIGNED_IN', undefined, { cause });
  }
}

/**
 * Verifies a device token.
 * @throws FixpointError NOT_SIGNED_IN unless the key signed the token within the last hour
 */
export async function verifyDeviceToken(token: string, { publicKey }: DeviceKey, now: number): Promise<void> {
  try {
    await jwtVerify(token, await importJWK(publicKey, 'ES256'), {
      algorithms: ['ES256'],
      typ: 'JWT',
      currentDate: new Date(now),
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      maxTokenAge: TOKEN_SECONDS_MAX,
      requiredClaims: ['iat', 'exp'],
    });
  } catch (cause) {
    throw new FixpointError('NOT_SIGNED_IN', undefined, { cause });
  }
}

/** Returns the claims of the certificate for a key. */
export function certificateOf(
  { publicKey, name, serial }: { publicKey: JWK; name: string; serial: string },
  issuer: string,
  fromMs: number,
  toMs: number,
): DeviceCertificate {
  const [from, to] = [Math.floor(fromMs / 1000), Math.floor(toMs / 1000)];
  return {
    iss: issuer,
    sub: name,
    aud: 'certificate-users',
    iat: from,
    nbf: from,
    exp: to,
    jti: serial,
    certificate: {
      version: '3',
      serialNumber: serial,
      subject: { commonName: name },
      issuer: { commonName: issuer },
      validity: {
        notBefore: new Date(from * 1000).toISOString(),
        notAfter: new Date(to * 1000).toISOString(),
      },
      subjectPublicKeyInfo: publicKey,
      signatureAlgorithm: 'ES256',
      keyUsage: ['digitalSignature'],
      extendedKeyUsage: ['clientAuth'],
    },
  };
}

/** Reads the public part of a P-256 key; rejects other kinds. */
async function deviceKey(given: unknown): Promise<DeviceKey> {
  const { kty, crv, x, y } = (given ?? {}) as JWK;
  if (kty !== 'EC' || crv !== 'P-256' || typeof x !== 'string' || typeof y !== 'string')
    throw new Error('not a P-256 key');
  const publicKey = { kty, crv, x, y };
  const thumbprint = await calculateJwkThumbprint(publicKey);
  return { publicKey, hash: createHash('sha256').update(`device key ${thumbprint}`).digest('hex') };
}

function nameOf(text: unknown): string {
  const name = typeof text === 'string' ? text.replace(/[\p{Cc}\p{Cs}]/gu, '').trim() : '';
  if (name === '' || name.length > 200) throw new Error('commonName');
  return name;
}
