import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { Link } from 'react-router';

/**
 * `decide`: decides about a conflict. `past`: leads to a version. `danger`: actions of the Danger
 * Zone. `confirm`: the button that confirms a destructive action. `inverse`: a button on a dark
 * bar. `link`: a link to a whole list, beside the title of a card with a part of it.
 */
export type Tone =
  | 'primary'
  | 'plain'
  | 'quiet'
  | 'decide'
  | 'past'
  | 'danger'
  | 'confirm'
  | 'inverse'
  | 'link';
export type Size = 'sm' | 'md';

/* Texts of twice the size wrap on a phone. Buttons are not printed. Transparent borders become
   visible in forced-colours mode, which removes backgrounds. */
const SHAPE =
  'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap transition-colors cursor-pointer disabled:cursor-not-allowed disabled:opacity-50 print:hidden tiny:h-auto tiny:min-h-(--control) tiny:max-w-full tiny:shrink tiny:py-1 tiny:whitespace-normal';
const SIZES: Record<Size, string> = {
  sm: 'h-(--control) px-2 text-xs max-sm:px-3',
  md: 'h-(--control) px-2.5 text-sm max-sm:px-3.5',
};
const TONES: Record<Tone, string> = {
  primary:
    'border border-transparent bg-accent text-on-accent shadow-[inset_0_1px_0_rgb(255_255_255/14%),var(--sh-1)] forced-color-adjust-none enabled:hover:bg-accent-hover [a]:hover:bg-accent-hover',
  plain: 'border border-line-strong bg-surface shadow-1 enabled:hover:bg-hover [a]:hover:bg-hover',
  quiet:
    'border border-transparent text-ink-2 enabled:hover:bg-hover enabled:hover:text-ink [a]:hover:bg-hover [a]:hover:text-ink',
  decide:
    'border border-conflict-line bg-conflict-soft text-conflict shadow-1 enabled:hover:border-conflict [a]:hover:border-conflict',
  past: 'border border-history-line bg-history-soft text-history enabled:hover:border-history [a]:hover:border-history',
  danger:
    'border border-danger-line bg-surface text-danger shadow-1 enabled:hover:bg-danger-soft [a]:hover:bg-danger-soft',
  confirm:
    'border border-transparent bg-danger text-surface shadow-1 forced-color-adjust-none enabled:hover:brightness-95',
  link: 'border border-transparent text-accent-ink [a]:hover:bg-hover',
  inverse: 'border border-transparent text-inherit enabled:hover:bg-surface/15 dark:enabled:hover:bg-ink/10',
};

const looks = (tone: Tone, size: Size, more = '') => `${SHAPE} ${SIZES[size]} ${TONES[tone]} ${more}`;

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly tone?: Tone;
  readonly size?: Size;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({ tone = 'plain', size = 'md', className, ...rest }: ButtonProps) {
  return <button type="button" className={looks(tone, size, className)} {...rest} />;
}

export interface LinkButtonProps {
  readonly to: string;
  readonly tone?: Tone;
  readonly size?: Size;
  readonly children: ReactNode;
}

/** Renders a link that looks like a button. */
export function LinkButton({ to, tone = 'plain', size = 'md', children }: LinkButtonProps) {
  return (
    <Link to={to} className={looks(tone, size)}>
      {children}
    </Link>
  );
}

const SQUARE =
  'grid size-(--control) shrink-0 cursor-pointer place-items-center rounded-md border border-transparent text-ink-3 transition-colors hover:bg-pressed hover:text-ink data-popup-open:bg-pressed disabled:cursor-not-allowed disabled:opacity-50 print:hidden';

/**
 * Renders a button that shows only an icon. `label` is the button's accessible name and tooltip.
 */
export function IconButton({
  label,
  className = '',
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & { readonly label: string }) {
  return (
    <button type="button" aria-label={label} title={label} className={`${SQUARE} ${className}`} {...rest} />
  );
}

export function IconLink({ to, label, children }: { to: string; label: string; children: ReactNode }) {
  return (
    <Link to={to} aria-label={label} title={label} className={SQUARE}>
      {children}
    </Link>
  );
}
