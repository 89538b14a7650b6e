import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Link } from 'react-router';

export type Tone = 'primary' | 'plain' | 'quiet' | 'danger';
/** `field`: the same height as a text field. */
export type Size = 'sm' | 'md' | 'field';

/* Buttons are not printed. Transparent borders become visible in forced-colours mode, which removes
   backgrounds. */
const SHAPE =
  'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap transition-colors cursor-pointer disabled:cursor-not-allowed disabled:opacity-50 print:hidden';
const SIZES: Record<Size, string> = {
  sm: 'h-7 px-2.5 text-xs',
  md: 'h-8 px-3 text-sm max-sm:h-9',
  field: 'h-9 px-3 text-sm',
};
const TONES: Record<Tone, string> = {
  primary:
    'border border-transparent bg-accent text-on-accent shadow-card forced-color-adjust-none enabled:hover:bg-accent-strong [a]:hover:bg-accent-strong',
  plain:
    'border border-line-strong bg-surface shadow-card enabled:hover:bg-raised enabled:hover:border-field [a]:hover:bg-raised [a]:hover:border-field',
  quiet:
    'border border-transparent text-muted enabled:hover:bg-raised enabled:hover:text-text [a]:hover:bg-raised [a]:hover:text-text',
  danger:
    'border border-danger/50 bg-surface text-danger shadow-card enabled:hover:bg-danger-soft enabled:hover:border-danger [a]:hover:bg-danger-soft [a]:hover:border-danger',
};

const looks = (tone: Tone, size: Size, more = '') => `${SHAPE} ${SIZES[size]} ${TONES[tone]} ${more}`;

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly tone?: Tone;
  readonly size?: Size;
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
  'grid size-8 shrink-0 cursor-pointer place-items-center rounded-md border border-transparent text-muted transition-colors hover:bg-raised hover:text-text max-sm:size-9 disabled:cursor-not-allowed disabled:opacity-50 print:hidden';

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
