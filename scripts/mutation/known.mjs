/**
 * Changes that would lose or leak something. A test must notice each. `find` occurs once in its
 * file.
 */
const engine = (file, find, instead = '') => ({ path: `packages/engine/src/${file}`, find, instead });
const cloud = (file, find, instead = '') => ({ path: `packages/cloud/src/${file}`, find, instead });

export const KNOWN = [
  // A URL for one method works for another, for ever, or for as long as requested.
  cloud('objects/signed-url.ts', 'isOurs && isFresh && signedMethod === method', 'isOurs && isFresh'),
  // Heads drop another writer's events, or keep superseded ones.
  engine('clock/advance.ts', 'alive &= ~bit;'),
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
  // A user without a right, or whose right ended, has one.
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
  // Other bytes are accepted for the requested ones.
  engine('crypto/seal.ts', 'if (!equalBytes(ivOf(digest), iv))', 'if (false)'),
  engine('crypto/seal.ts', 'if (cidOfDigest(CAR, digest) !== cid)', 'if (false)'),
  engine('crypto/sealed-object.ts', 'objectName(sealed) !== name', 'false'),
  engine('crypto/sealed-object.ts', 'encode([1, ledger, store, id])', 'encode([1, ledger, id])'),
  engine('crypto/sealed-object.ts', 'encode([1, ledger, store, id])', 'encode([1, store, id])'),
  engine('store/stored-archives.ts', '!isBlock(block, plain, from)', 'false'),
  engine('store/stored-archives.ts', 'hasSectionAt(car, cid, from, length)', 'true'),
  // Data is encrypted with a key of a removed device, or of one that may not approve others.
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
  // Acknowledged writes aren't on disk, or rejected ones are.
  engine('platform/node/log/own-log.ts', 'if (this.#strict) await this.#sync();'),
  engine('platform/node/log/own-log.ts', 'if (content.length < length) await file.truncate(content.length);'),
  engine('platform/node/log/own-log.ts', 'await this.#cutBack(cause);\n      this.#broken = unknown(cause);'),
  // Writes go to a log that lost its name.
  engine(
    'platform/node/log/own-log.ts',
    'if (!(await this.isThere().catch(() => false))) this.#broken = unknown(cause);',
  ),
  // A thread takes another thread's log; an owner of a previous database writes the new one, or
  // both are open.
  engine('platform/node/lock-holder.ts', 'return isSame && !(thread', 'return isSame && !(!thread'),
  engine(
    'platform/node/log/own-log.ts',
    "if (!(await this.isThere())) throw new FixpointError('DATABASE_CLOSED', 'the log is gone');",
  ),
  engine('platform/node/log/log-store.ts', ' && this.#own.isThere()'),
  engine('platform/node/log/log-store.ts', 'if (await taken.lock.isHeld()) return store;', 'return store;'),
  // A head overwrites the one that another tab wrote.
  engine(
    'commit/current-head.ts',
    'if (!(await head.store.write([...changes, ...others, { key, bytes }], guard))) return false;',
    'await head.store.write([...changes, ...others, { key, bytes }]);',
  ),
  // A newer head of another process is removed without being merged.
  engine(
    'commit/current-head.ts',
    'const news = others.length > 0 ? head.news : undefined;',
    'const news = undefined;',
  ),
  // Another process's row replaces one that was encrypted again, whose old file is gone; or a file
  // is removed before the row that points to it.
  engine('platform/node/log/rows-of-logs.ts', 'next.rank > found.rank', 'next.rank < found.rank'),
  engine('platform/node/large-values.ts', 'await values.store.sync?.();'),
  // Data that another process may need, or writes with, is dropped.
  engine(
    'commit/compaction/carry-out.ts',
    'if (live !== undefined && (await store.isAlone?.()) === false) return false;',
  ),
  // An archive that is rewritten to the same bytes is removed as its own source.
  engine('commit/compaction/carry-out.ts', '.filter((cid) => !isMade.has(cid))'),
  engine('store/reseal.ts', ' || (await store.isAlone?.()) === false'),
  engine('store/sealed-rows.ts', 'rows.every((row) => isUnder(row, current)) && '),
  engine(
    'crypto/database-keys.ts',
    'if (!known.all.has(before.current.id)) await update((all) => [...all, before.current.material]);',
  ),
  // A database of a newer version is overwritten.
  engine('store/head-record.ts', 'v !== 1 && v !== 2 && v !== VERSION', 'false'),
];
