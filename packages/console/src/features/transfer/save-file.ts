/** Saves a file for the user, assembled from parts that the browser may keep out of memory. */

const PART_CHARS = 4 * 1024 * 1024;

export async function fileOf(pieces: AsyncIterable<string>, type: string): Promise<Blob> {
  const parts: Blob[] = [];
  let waiting: string[] = [];
  let chars = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    chars += piece.length;
    if (chars < PART_CHARS) continue;
    parts.push(new Blob(waiting));
    waiting = [];
    chars = 0;
  }
  return new Blob([...parts, ...waiting], { type });
}

/** Time in ms until the URL is revoked, long enough for the browser to start the download. */
const KEPT_MS = 60_000;

/**
 * Downloads a file under this name, as plain bytes. So a browser that opens the file instead of
 * saving it runs no script in the file.
 */
export function saveFile(name: string, file: Blob): void {
  const url = URL.createObjectURL(new Blob([file], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}
