import type { Database } from 'fixpoint';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { isLedToLogin } from '../../../leaving/led-to-login.ts';
import { pathBelowBase } from '../../../ui/pages/base-path.ts';
import { textOfDocument } from '../../../values/document-fields.ts';
import { type Draft, isEdited, withKept } from './draft.ts';
import { readKeptBase, readKeptText, writeKeptText } from './kept-text.ts';
import type { LiveDraft } from './live-draft.ts';

/**
 * Restores text that was typed before a reload, and keeps text that is typed from then on. Returns
 * whether text was restored and isn't saved yet.
 */
export function useKeptText(database: Database, draft: Draft, live: LiveDraft): boolean {
  const { name } = database;
  const { id } = draft;
  const [wasKept, setWasKept] = useState(false);
  const latest = useRef(draft);
  latest.current = draft;
  const { pathname } = useLocation();
  const page = useRef(pathname);
  page.current = pathname;
  useEffect(() => {
    const kept = readKeptText(name, id);
    if (kept === undefined || !latest.current.editable || kept === latest.current.text) return;
    const base = readKeptBase(name, id);
    live.change((now) => (isEdited(now) ? now : withKept(now, kept, base)));
    setWasKept(true);
  }, [name, id, live]);
  useEffect(() => {
    const keep = () => {
      const { text, base } = latest.current;
      if (!isEdited(latest.current)) return writeKeptText(name, id, undefined);
      writeKeptText(name, id, text, base && textOfDocument(base).text);
    };
    window.addEventListener('pagehide', keep);
    return () => {
      window.removeEventListener('pagehide', keep);
      // Users who leave by a link confirmed that they discard their text. When the session ends, or
      // another page shows at the same address, nobody asked them, so their text is kept.
      const here = pathBelowBase(location.pathname) ?? '';
      const isLeft = here !== page.current && !isLedToLogin({ pathname: here, search: location.search });
      if (isLeft || latest.current.id !== id) writeKeptText(name, id, undefined);
      else keep();
    };
  }, [name, id]);
  return wasKept && isEdited(draft);
}
