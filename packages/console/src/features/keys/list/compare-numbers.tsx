import { Check, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/forms/form.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { CopyButton } from '../../../ui/text/copy-button.tsx';
import { QrImage } from '../../../ui/text/qr-image.tsx';
import { type Comparison, compared, inGroups } from './safety-digits.ts';

/** Compares a safety number with the one of another member. */
export function CompareNumbers({ number, onClose }: { number: string; onClose: () => void }) {
  const [text, setText] = useState('');
  const comparison = compared(number, text);
  return (
    <Dialog
      open
      onClose={onClose}
      title="Compare the safety number"
      description="Ask another member for the number that their device shows, in person or on the phone. Don’t send it through this database: the server could change what you both read."
      actions={<Button onClick={onClose}>Close</Button>}
    >
      <div className="flex flex-col gap-4">
        <QrImage text={number} label="QR code of the safety number below" />
        <p className="text-sm text-ink-3">
          The other member can scan the code with a camera and compare the digits.
        </p>
        <div className="flex flex-wrap items-start justify-between gap-2">
          <p className="w-52 font-mono text-sm break-words">{inGroups(number)}</p>
          <CopyButton text={number} size="sm" />
        </div>
        <TextField
          label="Number of the other member"
          inputMode="numeric"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Result {...{ comparison }} />
      </div>
    </Dialog>
  );
}

/** Shows in color, shape and words whether two numbers are equal. Screen readers announce it. */
function Result({ comparison }: { comparison: Comparison }) {
  const { result } = comparison;
  return (
    <div role="status" className="text-sm">
      {result === 'missing' && (
        <p className="text-ink-3">
          {comparison.count === 1 ? '1 digit is missing' : `${comparison.count} digits are missing`}. All
          others are equal.
        </p>
      )}
      {result === 'no number' && <p className="text-conflict">Enter only the 60 digits.</p>}
      {result === 'equal' && (
        <p className="flex items-start gap-2 rounded-md border border-accent-line bg-accent-soft p-3">
          <Check size={18} aria-hidden className="mt-0.5 shrink-0 text-accent-ink" />
          <span>
            <strong>Equal.</strong> You both see the same members and devices.
          </span>
        </p>
      )}
      {result === 'different' && (
        <p className="flex items-start gap-2 rounded-md border border-danger bg-danger-soft p-3">
          <TriangleAlert size={18} aria-hidden className="mt-0.5 shrink-0 text-danger" />
          <span>
            <strong>Different.</strong> Check that both devices show “In sync”, and that you entered the
            current number. If the numbers still differ, the server shows you different lists of members:
            don’t approve any device, and tell your operator.
          </span>
        </p>
      )}
    </div>
  );
}
