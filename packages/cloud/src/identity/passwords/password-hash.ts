/**
 * Hashes passwords with scrypt at the cost that OWASP recommends (16 MB, about 150 ms). The hash,
 * `scrypt:N:r:p:salt:key`, contains the cost. So the cost can be raised later, and older hashes
 * still verify.
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

export interface PasswordHash {
  hash(password: string): Promise<string>;
  verify(tried: { readonly hash: string; readonly password: string }): Promise<boolean>;
}

interface Cost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

const COST: Cost = { N: 16_384, r: 8, p: 5 };
/** Cost of hashes in the form `salt:key`, which the identity library creates. */
const COST_UNSAID: Cost = { N: 16_384, r: 16, p: 1 };
const [SALT_BYTES, KEY_BYTES] = [16, 64];

export const scryptPasswords: PasswordHash = {
  hash: async (password) => {
    const salt = randomBytes(SALT_BYTES).toString('hex');
    const { N, r, p } = COST;
    return ['scrypt', N, r, p, salt, (await keyOf(password, salt, COST)).toString('hex')].join(':');
  },
  verify: async ({ hash, password }) => {
    const stored = read(hash);
    if (stored === undefined) return false;
    const { salt, key, cost } = stored;
    return timingSafeEqual(await keyOf(password, salt, cost), key);
  },
};

/** Returns undefined for a malformed hash. */
function read(hash: string): { salt: string; key: Buffer; cost: Cost } | undefined {
  const [, N, r, p, salt = '', key = ''] =
    /^(?:scrypt:(\d{4,7}):(\d{1,2}):(\d{1,2}):)?([0-9a-f]{32}):([0-9a-f]{128})$/.exec(hash) ?? [];
  if (key === '') return undefined;
  const cost = N === undefined ? COST_UNSAID : { N: Number(N), r: Number(r), p: Number(p) };
  return { salt, key: Buffer.from(key, 'hex'), cost };
}

function keyOf(password: string, salt: string, cost: Cost): Promise<Buffer> {
  const options = { ...cost, maxmem: 256 * cost.N * cost.r };
  return new Promise((resolve, reject) =>
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    ),
  );
}
