import { lazyComponent } from '../pages/lazy-component.tsx';

/** Width of the empty border that QR code readers need, in modules. */
const QUIET = 4;

interface QrImageProps {
  readonly text: string;
  readonly label: string;
}

/** Shows a text as a QR code, dark on light in every theme, once the encoder is loaded. */
export const QrImage = lazyComponent<QrImageProps>(
  async () => {
    const { encode } = await import('uqr');
    return function DrawnCode({ text, label }: QrImageProps) {
      const { data, size } = encode(text, { ecc: 'M', border: QUIET });
      const path = data
        .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
        .join('');
      return (
        <svg
          role="img"
          aria-label={label}
          viewBox={`0 0 ${size} ${size}`}
          shapeRendering="crispEdges"
          className="size-48 self-center rounded-md border border-line"
        >
          <rect width={size} height={size} fill="#ffffff" />
          <path d={path} fill="#000000" />
        </svg>
      );
    };
  },
  () => <div className="size-48" />,
);
