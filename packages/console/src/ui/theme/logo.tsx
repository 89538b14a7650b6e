/** Renders the product's logo: an open circle around a point. */
export function Logo({ size = 20 }: { size?: number }) {
  // Grows with the text beside it.
  const rem = `${size / 16}rem`;
  return (
    <svg viewBox="0 0 32 32" aria-hidden className="shrink-0" style={{ width: rem, height: rem }}>
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <path
        d="M24.5 19.5a9.2 9.2 0 1 1-1-8.6"
        fill="none"
        strokeWidth="2.6"
        strokeLinecap="round"
        className="stroke-on-accent"
      />
      <circle cx="16" cy="16" r="3.4" className="fill-on-accent" />
    </svg>
  );
}
