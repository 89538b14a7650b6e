import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { lazyComponent } from '../../../ui/pages/lazy-component.tsx';
import { inGroups } from './safety-digits.ts';

const CompareNumbers = lazyComponent(async () => (await import('./compare-numbers.tsx')).CompareNumbers);

/** Shows a safety number, and offers to compare it. */
export function SafetyNumber({ number }: { number: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <code className="font-mono text-xs">{inGroups(number)}</code>{' '}
      <Button size="sm" tone="quiet" onClick={() => setOpen(true)}>
        Compare safety number
      </Button>
      {isOpen && <CompareNumbers {...{ number }} onClose={() => setOpen(false)} />}
    </>
  );
}
