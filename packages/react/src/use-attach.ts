import type { CloudOptions, Database, Remote } from 'fixpoint';
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { type AttachState, isRemote, observeAttachment } from './attachment.ts';
import { inputText } from './input-text.ts';
import { useKept } from './use-kept.ts';

/** What `useAttach` gives. */
export type UsedAttach = AttachState & {
  /** Tries again after an error; the same function at each render. */
  retry(): void;
};

/**
 * Keeps a database attached to a ledger as long as the component is there; undefined attaches nothing. Options may be written in place: they
 * count as the same while address, tenant, ledger and a token that is a text are the same. A token that is a function is asked whenever a
 * token is about to end; it is always the function of the latest render.
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
