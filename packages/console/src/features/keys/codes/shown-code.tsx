import { CopyButton } from '../../../ui/text/copy-button.tsx';

/** Shows a code to be entered on another device. */
export function ShownCode({ label, code }: { label: string; code: string }) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <output
        aria-label={label}
        className="min-w-0 rounded-md border border-line bg-surface px-3 py-2 font-mono text-sm break-all text-ink"
      >
        {code}
      </output>
      <CopyButton text={code} size="sm" />
    </div>
  );
}
