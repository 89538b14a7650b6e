import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button, type Size, type Tone } from '../button.tsx';
import { useToast } from '../overlays/toaster.tsx';

const SHOWN_MS = 2000;

export interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
  readonly tone?: Tone;
  readonly size?: Size;
  readonly disabled?: boolean;
  /** Whether a phone, or every window, shows only the icon. */
  readonly isShort?: boolean | 'always';
}

export function CopyButton({ text, label = 'Copy', isShort = false, ...look }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  const toast = useToast();
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      toast('Couldn’t copy: the browser blocked it. Select the text and copy it yourself.', {
        tone: 'error',
      });
    }
  };
  return (
    <Button onClick={() => void copy()} title={isShort === 'always' ? label : undefined} {...look}>
      {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      <span
        aria-live="polite"
        className={isShort === 'always' ? 'sr-only' : isShort ? 'max-sm:sr-only' : undefined}
      >
        {copied ? 'Copied' : label}
      </span>
    </Button>
  );
}
