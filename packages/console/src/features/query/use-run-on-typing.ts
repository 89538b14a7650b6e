import { useEffect, useRef, useState } from 'react';

const PAUSE_MS = 400;
const KEY = 'fixpoint:query:as-you-type';

export interface RunOnTyping {
  readonly isOn: boolean;
  turn(isOn: boolean): void;
  /** To be told of each text that was typed. */
  typed(source: string): void;
  /** What was typed last is not run by itself any more: the user runs it. */
  stop(): void;
}

/** Runs what was typed when nobody types any more, unless the user turned that off. What was not typed here never runs by itself. */
export function useRunOnTyping(run: (source: string) => Promise<void>): RunOnTyping {
  const [isOn, setOn] = useState(() => readChoice());
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
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
    // It holds as long as the page is open.
  }
}
