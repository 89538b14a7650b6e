import { ShieldQuestion } from 'lucide-react';
import type { ReactNode } from 'react';
import { Card } from '../../ui/pages/page.tsx';

/** Frames a question that comes before a token is sent. */
export function TokenQuestion({ children }: { children: ReactNode }) {
  return (
    <Card>
      <div className="flex gap-4">
        <ShieldQuestion size={20} aria-hidden className="mt-0.5 shrink-0 text-warn" />
        <div className="flex min-w-0 grow flex-col gap-4">{children}</div>
      </div>
    </Card>
  );
}
