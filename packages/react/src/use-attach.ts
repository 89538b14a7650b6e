import type { CloudOptions, Database, Remote } from 'fixpoint';
import { type LiveAttach, liveAttach } from 'fixpoint/live';
import { useEffect, useRef } from 'react';
import { useStore } from './use-store.ts';

/** Result of `useAttach`. */
export type UsedAttach = LiveAttach;

/**
 * Keeps a database attached to a ledger while the component is mounted; undefined attaches nothing.
 * Options can be written inline, also in `toCloud`: they count as the same while all but a token
 * function are equal. When a token is about to expire, the hook calls the token function of the
 * latest render.
 */
export function useAttach(database: Database, target: Remote | CloudOptions | undefined): UsedAttach {
  const latest = useRef(target);
  useEffect(() => {
    latest.current = target;
  });
  return useStore(liveAttach(database, withLatestToken(target, latest)));
}

const optionsIn = (target: Remote | CloudOptions | undefined): CloudOptions | undefined =>
  target !== undefined && 'attach' in target ? target.options?.() : target;

function withLatestToken(
  target: Remote | CloudOptions | undefined,
  latest: { readonly current: Remote | CloudOptions | undefined },
): Remote | CloudOptions | undefined {
  const options = optionsIn(target);
  if (options === undefined || typeof options.token === 'string') return target;
  const given = options.token;
  const token = () => {
    const now = optionsIn(latest.current)?.token;
    return typeof now === 'function' ? now() : given();
  };
  return { ...options, token };
}
