import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Link } from 'react-router';

type Tone = 'primary' | 'plain' | 'danger';

const SHAPE =
  'inline-flex items-center justify-center gap-2 rounded-md px-3 h-9 text-sm font-medium whitespace-nowrap transition-colors disabled:opacity-50 disabled:cursor-not-allowed cursor-pointer';
const TONES: Record<Tone, string> = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong',
  plain: 'border border-line bg-surface hover:bg-raised',
  danger: 'border border-danger text-danger bg-surface hover:bg-danger-soft',
};

export function Button({
  tone = 'plain',
  className = '',
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & { tone?: Tone }) {
  return <button type="button" className={`${SHAPE} ${TONES[tone]} ${className}`} {...rest} />;
}

export function LinkButton({
  to,
  tone = 'plain',
  children,
}: {
  to: string;
  tone?: Tone;
  children: ReactNode;
}) {
  return (
    <Link to={to} className={`${SHAPE} ${TONES[tone]}`}>
      {children}
    </Link>
  );
}
