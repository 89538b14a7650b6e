/**
 * Keeps text typed in a short form until its user signs in again, so that the text isn't lost when
 * the session ends by itself.
 */
import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { isLedToLogin } from './led-to-login.ts';
import { readNote, writeNote } from './tab-note.ts';

const keyOf = (path: string, field: string): string => `fixpoint:field:${JSON.stringify([path, field])}`;

/**
 * Works like `useState` for a text that starts empty. Must not be used for a field with a secret.
 * @param field distinguishes the field from others on its page
 */
export function useKeptField(
  field: string,
): readonly [string | undefined, Dispatch<SetStateAction<string | undefined>>] {
  const key = keyOf(useLocation().pathname, field);
  const [text, setText] = useState(() => readNote(key));
  const latest = useRef(text);
  latest.current = text;
  useEffect(() => {
    writeNote(key, undefined);
    return () => {
      if (isLedToLogin(location)) writeNote(key, latest.current || undefined);
    };
  }, [key]);
  return [text, setText];
}
