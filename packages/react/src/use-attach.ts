import type { CloudOptions, Database, Remote } from 'fixpoint';
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { type AttachState, isRemote, observeAttachment } from './attachment.ts';
import { inputText } from './input-text.ts';
import { useKept } from './use-kept.ts';

/** Result of `useAttach`. */
export type UsedAttach = AttachState & {
  /** Retries after an error. The function is the same in each render. */
  retry(): void;
};

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
  const identity = target === undefined || isRemote(target) ? target : cloudText(target);
  const observer = useKept(
    () => observeAttachment(database, withLatestToken(target, latest)),
    [database, identity],
  );
  const state = useSyncExternalStore(observer.subscribe, observer.current, observer.current);
  return useMemo(() => ({ ...state, retry: observer.retry }), [state, observer]);
}

function withLatestToken(
  target: Remote | CloudOptions | undefined,
  latest: { readonly current: Remote | CloudOptions | undefined },
): Remote | CloudOptions | undefined {
  if (target === undefined || isRemote(target) || typeof target.token === 'string') return target;
  const given = target.token;
  const token = () => {
    const now = latest.current;
    return now === undefined || isRemote(now) || typeof now.token === 'string' ? given() : now.token();
  };
  return { ...target, token };
}

const cloudText = ({ base, tenant, ledger, token }: CloudOptions): string =>
  inputText([base, tenant, ledger, typeof token === 'string' ? token : 'function']);
