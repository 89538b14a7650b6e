import { useEffect, useRef, useState } from 'react';

const PAUSE_MS = 400;
const KEY = 'fixpoint:query:as-you-type';

export interface RunOnTyping {
  readonly isOn: boolean;
  turn(isOn: boolean): void;
  /** Call this with each typed text. */
  typed(source: string): void;
  /** Cancels the pending automatic run. Call this when the user runs the query. */
  stop(): void;
}

/**
 * Runs typed text when typing stops, unless the user disabled that. Text that wasn't typed here
 * never runs automatically, since it may be somebody else's.
 * @param first a text of the console itself, which runs at once; only its first value counts
 */
export function useRunOnTyping(run: (source: string) => Promise<void>, first?: string): RunOnTyping {
  const [isOn, setOn] = useState(() => readChoice());
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const next = useRef(first);
  useEffect(() => {
    if (next.current !== undefined && readChoice()) void run(next.current);
    next.current = undefined;
  }, [run]);
  return {
    isOn,
    turn: (next) => {
      clearTimeout(timer.current);
      setOn(next);
      writeChoice(next);
    },
    stop: () => clearTimeout(timer.current),
    typed: (source) => {
      clearTimeout(timer.current);
      if (isOn) timer.current = setTimeout(() => void run(source), PAUSE_MS);
    },
  };
}

function readChoice(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'off';
  } catch {
    return true;
  }
}

function writeChoice(isOn: boolean): void {
  try {
    localStorage.setItem(KEY, isOn ? 'on' : 'off');
  } catch {
    // Without storage the setting lasts while the page is open.
  }
}
