/** Reads files as text piece by piece, so that a file of any size takes little memory. */

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

export const ENCODING_LABELS: Readonly<Record<Encoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16, big-endian',
  'windows-1252': 'Windows-1252',
};

/** Bytes from which the encoding, the format and the delimiter of a file are detected. */
const HEAD_BYTES = 256 * 1024;

export interface Head {
  readonly encoding: Encoding;
  readonly text: string;
  /** Whether the text contains the whole file. */
  readonly isWhole: boolean;
}

/** Returns the start of a file. An undetected `encoding` is detected. */
export async function readHead(file: Blob, encoding?: Encoding): Promise<Head> {
  const bytes = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
  const isWhole = file.size <= HEAD_BYTES;
  const found = encoding ?? encodingOf(bytes, isWhole);
  const text = new TextDecoder(found).decode(bytes, { stream: !isWhole });
  return { encoding: found, text, isWhole };
}

/** Detects UTF-8 and UTF-16, with or without a byte-order mark. Anything else is Windows-1252. */
function encodingOf(bytes: Uint8Array, isWhole: boolean): Encoding {
  const [first, second, third, fourth] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // In UTF-16, every second byte of ASCII characters is zero.
  if (first !== 0 && second === 0 && third !== 0 && fourth === 0) return 'utf-16le';
  if (first === 0 && second !== 0 && third === 0 && fourth !== 0) return 'utf-16be';
  try {
    // The start of a longer file may end within a character.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole });
    return 'utf-8';
  } catch {
    return 'windows-1252';
  }
}

export interface TextPiece {
  readonly text: string;
  /** Bytes of the file read so far. */
  readonly bytes: number;
}

/** Yields the text of a file, without its byte-order mark. @throws the reason of the signal */
export async function* textOf(
  file: Blob,
  encoding: Encoding,
  signal: AbortSignal,
): AsyncGenerator<TextPiece, void> {
  const reader = file.stream().getReader();
  const decoder = new TextDecoder(encoding);
  let bytes = 0;
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      if (done) break;
      bytes += value.length;
      yield { text: decoder.decode(value, { stream: true }), bytes };
    }
    yield { text: decoder.decode(), bytes };
  } finally {
    await reader.cancel();
  }
}

/** Milliseconds of work after which the page gets a turn. */
const SLICE_MS = 12;

/**
 * Returns a function that long work calls again and again. Now and then, its promise resolves only
 * after the page has handled input and drawn.
 */
export function pauses(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE_MS) return;
    // A hidden page draws nothing, and its timers are slow.
    if (!globalThis.document?.hidden) await new Promise((resolve) => setTimeout(resolve));
    since = performance.now();
  };
}
