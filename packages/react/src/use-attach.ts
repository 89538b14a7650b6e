import type { CloudOptions, Database, Remote } from 'fixpoint';
import { type LiveAttach, liveAttach } from 'fixpoint/live';
import { useEffect, useRef } from 'react';
import { useStore } from './use-store.ts';

/** Result of `useAttach`. */
export type UsedAttach = LiveAttach;

/**
 * Keeps a database attached to a ledger while the component is mounted; undefined attaches nothing.
 * Options can be written inline: they count as the same while base, tenant, ledger and a string
 * token are equal. When a token is about to expire, the hook calls the token function of the latest
 * render.
 */
export function useAttach(database: Database, target: Remote | CloudOptions | undefined): UsedAttach {
  const latest = useRef(target);
  useEffect(() => {
    latest.current = target;
  });
  return useStore(liveAttach(database, withLatestToken(target, latest)));
}

const hasToken = (target: Remote | CloudOptions | undefined): target is CloudOptions =>
  target !== undefined && 'token' in target;

function withLatestToken(
  target: Remote | CloudOptions | undefined,
  latest: { readonly current: Remote | CloudOptions | undefined },
): Remote | CloudOptions | undefined {
  if (!hasToken(target) || typeof target.token === 'string') return target;
  const given = target.token;
  const token = () => {
    const now = latest.current;
    return !hasToken(now) || typeof now.token === 'string' ? given() : now.token();
  };
  return { ...target, token };
}
