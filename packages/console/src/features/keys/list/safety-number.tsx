import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { lazyComponent } from '../../../ui/pages/lazy-component.tsx';
import { inGroups } from './safety-digits.ts';

const CompareNumbers = lazyComponent(async () => (await import('./compare-numbers.tsx')).CompareNumbers);

export interface SafetyNumberProps {
  readonly number: string;
  /** Whether the number is the subject of its card. */
  readonly isLarge?: boolean;
}

/** Shows a safety number, and offers to compare it. */
export function SafetyNumber({ number, isLarge = false }: SafetyNumberProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <code className={isLarge ? 'mb-2 block font-mono text-base tracking-wide' : 'font-mono text-xs'}>
        {inGroups(number)}
      </code>{' '}
      <Button tone={isLarge ? 'plain' : 'quiet'} onClick={() => setOpen(true)}>
        Compare safety number
      </Button>
      {isOpen && <CompareNumbers {...{ number }} onClose={() => setOpen(false)} />}
    </>
  );
}
