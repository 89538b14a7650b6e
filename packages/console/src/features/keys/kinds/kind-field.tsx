import { useId } from 'react';
import { LEDGER_KIND_TEXTS } from './ledger-kinds.ts';

/**
 * Renders the choice of a new ledger’s kind. Changing it later creates another ledger.
 * @param isWide whether the kinds are side by side where there is space
 */
export function KindField({ isWide = false }: { isWide?: boolean }) {
  const id = useId();
  return (
    <fieldset className={isWide ? 'grid gap-2 md:grid-cols-2' : 'flex flex-col gap-2'}>
      <legend className="mb-1.5 text-sm font-medium">
        Who can read it (a later change creates a new database)
      </legend>
      {LEDGER_KIND_TEXTS.map(({ kind, title, text }, at) => (
        <label
          key={kind}
          className="flex cursor-pointer items-start gap-3 rounded-md border border-line px-3 py-2.5 transition-colors hover:border-control-line has-checked:border-accent has-checked:bg-accent-soft"
        >
          <input
            type="radio"
            name="kind"
            value={kind}
            defaultChecked={at === 0}
            aria-labelledby={`${id}-${kind}`}
            aria-describedby={`${id}-${kind}-text`}
            className="mt-0.5 size-4 shrink-0 accent-accent"
          />
          <span className="min-w-0">
            <span id={`${id}-${kind}`} className="block text-sm font-medium">
              {title}
            </span>
            <span id={`${id}-${kind}-text`} className="block text-xs text-ink-3">
              {text}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
