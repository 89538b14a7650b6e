/**
 * A simulated device, which creates and uses passkeys when a page requests them (WebAuthn level 2,
 * attestation "none", ES256).
 */
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

const text = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();

interface Options {
  readonly challenge: string;
  readonly rp?: { readonly id?: string };
  readonly rpId?: string;
}

export interface DeviceOptions {
  /** The origin of the page that requests a passkey. */
  readonly origin: string;
  /** Whether the device verified its user by PIN, fingerprint or face. */
  readonly isVerified?: boolean;
}

export interface Device {
  create(options: Options): Record<string, unknown>;
  /**
   * @param change changes the authenticator data after the device signed it, as an attacker could
   */
  get(options: Options, change?: (authData: Buffer) => Buffer): Record<string, unknown>;
}

export function newDevice({ origin, isVerified = true }: DeviceOptions): Device {
  const id = randomBytes(16);
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  let counter = 0;
  const flags = USER_PRESENT | (isVerified ? USER_VERIFIED : 0);
  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const shown = { id: text(id), rawId: text(id), type: 'public-key', clientExtensionResults: {} };
  return {
    create: ({ challenge, rp }) => {
      const authData = Buffer.concat([
        header(rp?.id ?? '', flags | HAS_CREDENTIAL, counter),
        Buffer.alloc(16),
        Buffer.from([0, id.length]),
        id,
        coseKey(publicKey),
      ]);
      const response = {
        clientDataJSON: text(clientData('webauthn.create', challenge)),
        attestationObject: text(attestation(authData)),
        transports: ['internal'],
      };
      return { ...shown, response };
    },
    get: ({ challenge, rpId = '' }, change = (bytes) => bytes) => {
      counter += 1;
      const authData = header(rpId, flags, counter);
      const clientDataJSON = clientData('webauthn.get', challenge);
      const signature = createSign('sha256')
        .update(Buffer.concat([authData, sha256(clientDataJSON)]))
        .sign(privateKey);
      const response = {
        clientDataJSON: text(clientDataJSON),
        authenticatorData: text(change(authData)),
        signature: text(signature),
      };
      return { ...shown, response };
    },
  };
}

function header(rpId: string, flags: number, counter: number): Buffer {
  const rest = Buffer.alloc(5);
  rest.writeUInt8(flags, 0);
  rest.writeUInt32BE(counter, 1);
  return Buffer.concat([sha256(rpId), rest]);
}

/** CBOR of {fmt: "none", attStmt: {}, authData}. */
function attestation(authData: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from([0xa3]),
    word('fmt'),
    word('none'),
    word('attStmt'),
    Buffer.from([0xa0]),
    word('authData'),
    Buffer.from([0x58, authData.length]),
    authData,
  ]);
}

const word = (chars: string) => Buffer.concat([Buffer.from([0x60 + chars.length]), Buffer.from(chars)]);

/** CBOR of {1: 2 (EC), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const coordinate = (chars: string) =>
    Buffer.concat([Buffer.from([0x58, 0x20]), Buffer.from(chars, 'base64url')]);
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    coordinate(x),
    Buffer.from([0x22]),
    coordinate(y),
  ]);
}
