import { useState } from 'react';
import { Button } from './button.tsx';
import { useToast } from './toaster.tsx';

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  const toast = useToast();
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true);
        setTimeout(() => setCopied(false), 2000);
      },
      () => toast('The browser did not let this page copy: select the text instead.', { tone: 'error' }),
    );
  return <Button onClick={() => void copy()}>{copied ? 'Copied' : label}</Button>;
}
