/**
 * Hand-written changes that would lose or leak data. A test must notice each of them. The text in
 * `find` occurs exactly once in the file.
 */
const engine = (file, find, instead = '') => ({ path: `packages/engine/src/${file}`, find, instead });
const cloud = (file, find, instead = '') => ({ path: `packages/cloud/src/${file}`, find, instead });

export const KNOWN = [
  // A URL that is signed for one method works for another method.
  cloud('objects/signed-url.ts', 'isOurs && isFresh && signedMethod === method', 'isOurs && isFresh'),
  // Heads drop another writer's events, or keep superseded events.
  engine('clock/advance.ts', 'alive &= ~bit;'),
  // A signed URL never expires, or is valid for any requested time.
  cloud(
    'objects/signed-url.ts',
    'isOurs && isFresh && signedMethod === method',
    'isOurs && signedMethod === method',
  ),
  cloud(
    'objects/signed-url.ts',
    'Math.min(Math.floor(seconds), LIMITS.signedUrlSecondsMax)',
    'Math.floor(seconds)',
  ),
  // A user gets access without a right, or after the right was revoked or expired.
  cloud('rights/authorize.ts', '!NEEDS[action](standing)', 'false'),
  cloud(
    'rights/authorize.ts',
    "if (scope?.tenantId !== undefined && scope.tenantId !== tenantId) throw new FixpointError('NOT_FOUND');",
  ),
  cloud('rights/standing.ts', "if (ownStatus !== 'active') return 'none';"),
  cloud('rights/standing.ts', "return tenantRole === 'guest' ? 'none' : 'write'", "return 'write'"),
  cloud('rights/standing.ts', ".where('Users.status', '=', 'active')"),
  cloud('rights/standing.ts', ".where('TenantUsers.status', '=', 'active')"),
  cloud('rights/standing.ts', ".where('Tenants.status', '=', 'active')"),
  cloud(
    'rights/standing.ts',
    ".onRef('Ledgers.tenantId', '=', 'TenantUsers.tenantId')",
    ".onRef('Ledgers.tenantId', '=', 'Ledgers.tenantId')",
  ),
  cloud('rights/rights.ts', 'age >= 0 && age < Math.min(ageMs, CACHE_MS)', 'age >= 0'),
  cloud('rights/rights.ts', "if (row === undefined || row.expiresAt <= timestamp(now())) return 'none';"),
  cloud(
    'gateway/require-ledger.ts',
    "if (access === 'none') throw new FixpointError('NOT_FOUND', 'tenant or ledger');",
  ),
  cloud(
    'gateway/require-ledger.ts',
    "if (needed === 'write' && (access === 'read' || granted === 'read')) throw new FixpointError('FORBIDDEN');",
  ),
  cloud('tokens/cloud-tokens.ts', 'audience: AUDIENCE,'),
  cloud('tokens/cloud-tokens.ts', 'issuer: ISSUER,'),
  cloud('tokens/cloud-tokens.ts', 'typ: TYPE,\n          clockTolerance', 'clockTolerance'),
  cloud('tokens/cloud-tokens.ts', 'payload.sub === payload.userId', 'true'),
  // A reader accepts other bytes than the requested ones.
  engine('crypto/seal.ts', 'if (!equalBytes(ivOf(digest), iv))', 'if (false)'),
  engine('crypto/seal.ts', 'if (cidOfDigest(CAR, digest) !== cid)', 'if (false)'),
  engine('crypto/sealed-object.ts', 'objectName(sealed) !== name', 'false'),
  engine('crypto/sealed-object.ts', 'encode([1, ledger, store, id])', 'encode([1, ledger, id])'),
  engine('crypto/sealed-object.ts', 'encode([1, ledger, store, id])', 'encode([1, store, id])'),
  engine('store/stored-archives.ts', '!isBlock(block, plain, from)', 'false'),
  engine('store/stored-archives.ts', 'hasSectionAt(car, cid, from, length)', 'true'),
  // Data is encrypted with a key from a removed device, or from a device that may not approve
  // others.
  engine('crypto/follow-keys.ts', 'mayLead ? opened[0] : undefined', 'opened[0]'),
  engine(
    'crypto/follow-keys.ts',
    '(await followRotations(known, own)) ||\n    (await takeGrant(known, own, secrets))',
    '(await takeGrant(known, own, secrets)) ||\n    (await followRotations(known, own))',
  ),
  engine('crypto/ledger-members.ts', 'isMine(known, pub) || list.has(hex(pub))', 'true'),
  // Replicas replay events in different orders.
  engine('clock/winning-order.ts', 'return a < b ? -1 : 1;', 'return a < b ? 1 : -1;'),
  engine('clock/winning-order.ts', 'ofA > ofB ? -1 : 1', 'ofA > ofB ? 1 : -1'),
  // An acknowledged write isn't on disk, or a rejected write is.
  engine('platform/node/log/own-log.ts', 'if (this.#strict) await this.#sync();'),
  engine('platform/node/log/own-log.ts', 'if (content.length < length) await file.truncate(content.length);'),
  engine('platform/node/log/own-log.ts', 'await this.#cutBack(cause);\n      this.#broken = unknown(cause);'),
  // Writes go to a log file that was deleted or renamed.
  engine(
    'platform/node/log/own-log.ts',
    'if (!(await this.isThere().catch(() => false))) this.#broken = unknown(cause);',
  ),
  // A thread takes over the log of another running thread; the owner of a deleted database writes
  // to the new database of that name; or both databases are open at once.
  engine('platform/node/lock-holder.ts', 'return isSame && !(thread', 'return isSame && !(!thread'),
  engine(
    'platform/node/log/own-log.ts',
    "if (!(await this.isThere())) throw new FixpointError('DATABASE_CLOSED', 'the log is gone');",
  ),
  engine('platform/node/log/log-store.ts', ' && this.#own.isThere()'),
  engine('platform/node/log/log-store.ts', 'if (await taken.lock.isHeld()) return store;', 'return store;'),
  // A write overwrites a head that another tab wrote first.
  engine(
    'commit/current-head.ts',
    'if (!(await head.store.write([...changes, ...others, { key, bytes }], guard))) return false;',
    'await head.store.write([...changes, ...others, { key, bytes }]);',
  ),
  // A newer head of another process is removed before it was merged.
  engine(
    'commit/current-head.ts',
    'const news = others.length > 0 ? head.news : undefined;',
    'const news = undefined;',
  ),
  // A row of another process, whose file no longer exists, replaces its newly encrypted version; or
  // a file is removed before the row that points to it.
  engine('platform/node/log/rows-of-logs.ts', 'next.rank > found.rank', 'next.rank < found.rank'),
  engine('platform/node/large-values.ts', 'await values.store.sync?.();'),
  // Compaction drops data that another process still needs.
  engine(
    'commit/compaction/carry-out.ts',
    'if (live !== undefined && (await store.isAlone?.()) === false) return false;',
  ),
  // Compaction rewrites an archive to the same bytes, then removes it as the old version.
  engine('commit/compaction/carry-out.ts', '.filter((cid) => !isMade.has(cid))'),
  // A key is deleted while another process still encrypts with it, or while data needs it.
  engine('store/reseal.ts', ' || (await store.isAlone?.()) === false'),
  engine('store/sealed-rows.ts', 'rows.every((row) => isUnder(row, current)) && '),
  engine(
    'crypto/database-keys.ts',
    'if (!known.all.has(before.current.id)) await update((all) => [...all, before.current.material]);',
  ),
  // An older version of the software overwrites a database of a newer version.
  engine('store/head-record.ts', 'v !== 1 && v !== 2 && v !== VERSION', 'false'),
];
