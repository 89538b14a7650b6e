/**
 * Shows keys with the labels of the keyboard. The user presses the strokes one after the other, and
 * the keys of a stroke together.
 */
export function Keys({ strokes }: { strokes: readonly (readonly string[])[] }) {
  return (
    <span className="inline-flex shrink-0 items-center gap-1 text-muted">
      {strokes.map((keys, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: strokes may be equal, and have no state
        <span key={`${keys.join()} ${at}`} className="inline-flex items-center gap-1">
          {at > 0 && <span className="text-xs">then</span>}
          {keys.map((key) => (
            <kbd
              key={key}
              className="inline-grid h-5 min-w-5 place-items-center rounded border border-line-strong bg-raised px-1 font-sans text-[0.6875rem] leading-none"
            >
              {key}
            </kbd>
          ))}
        </span>
      ))}
    </span>
  );
}
