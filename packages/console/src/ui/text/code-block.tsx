import type { ReactNode } from 'react';

export interface CodeBlockProps {
  readonly label: string;
  readonly text: string;
  readonly actions?: ReactNode;
  /** Whether long lines wrap, for keys that users type elsewhere. Other lines scroll. */
  readonly wraps?: boolean;
}

const PRE = 'max-h-96 overflow-auto p-3 font-mono text-xs leading-5 -outline-offset-2';

/** Shows code to read and to copy. */
export function CodeBlock({ label, text, actions, wraps = false }: CodeBlockProps) {
  return (
    <figure className="overflow-hidden rounded-lg border border-line bg-sunken">
      <figcaption className="flex min-h-9 items-center justify-between gap-2 border-b border-line py-1 pr-1.5 pl-3 text-xs text-ink-3">
        <span className="min-w-0">{label}</span>
        {actions !== undefined && <span className="flex shrink-0 gap-1">{actions}</span>}
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach everything that scrolls */}
      <pre tabIndex={0} className={`${PRE} ${wraps ? 'break-all whitespace-pre-wrap' : ''}`}>
        {text}
      </pre>
    </figure>
  );
}
