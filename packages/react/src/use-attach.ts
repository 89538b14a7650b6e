import type { CloudOptions, Database, Remote } from 'fixpoint';
import { useSyncExternalStore } from 'react';
import { type AttachState, isRemote, observeAttachment } from './attachment.ts';
import { inputText } from './input-text.ts';
import { useKept } from './use-kept.ts';

/**
 * Keeps a database attached to a ledger as long as the component is there; undefined attaches nothing. Options may be written in place: they
 * count as the same while address, tenant, ledger and a token that is a text are the same.
 */
export function useAttach(database: Database, target: Remote | CloudOptions | undefined): AttachState {
  const identity = target === undefined || isRemote(target) ? target : cloudText(target);
  const observer = useKept(() => observeAttachment(database, target), [database, identity]);
  return useSyncExternalStore(observer.subscribe, observer.current, observer.current);
}

const cloudText = ({ base, tenant, ledger, token }: CloudOptions): string =>
  inputText([base, tenant, ledger, typeof token === 'string' ? token : 'function']);
