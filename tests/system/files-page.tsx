/** The page of files.test.ts: an application with attachments in a real browser. */
import { ImgFile, type useDocument, useFixpoint } from '@fixpoint/react';
import { fixpoint, type StoredFile } from 'fixpoint';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

type Album = { _files: Record<string, Blob | StoredFile> };

const hashOf = async (bytes: BufferSource) => {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
};

/**
 * Writes a long file from a stream, reopens the database, and reads the file as a stream. Returns
 * whether the content is the same.
 */
async function roundTrip(bytes: number): Promise<{ same: boolean; parts: number; name: string }> {
  const content = Uint8Array.from({ length: bytes }, (_, at) => (at ^ (at >> 9)) & 0xff);
  const db = fixpoint('long');
  await db.put({ _id: 'film', _files: { 'film.mp4': new Blob([content], { type: 'video/mp4' }).stream() } });
  await db.close();
  const again = fixpoint('long');
  const { _files } = await again.get<{ _files: Record<string, StoredFile> }>('film');
  const entry = _files['film.mp4'];
  const file = await entry?.file();
  const streamed = await new Response(entry?.stream()).arrayBuffer();
  await again.destroy();
  return {
    same:
      (await hashOf(streamed)) === (await hashOf(content)) &&
      (await hashOf((await file?.arrayBuffer()) ?? new ArrayBuffer())) === (await hashOf(content)),
    parts: entry?.car.length ?? 0,
    name: file?.name ?? '',
  };
}

function AlbumPage() {
  const { useLiveQuery, useDocument: useBound } = useFixpoint('album');
  const { doc, merge, save } = useBound<Album>({ _id: 'album', _files: {} });
  const { docs } = useLiveQuery('_id');
  return (
    <>
      <input type="file" onChange={(event) => choose(event.target.files?.[0], merge)} />
      <button type="button" onClick={() => void save()}>
        Save
      </button>
      <p>{docs.length} saved</p>
      <ImgFile
        file={doc._files['picture']}
        alt={'cid' in (doc._files['picture'] ?? {}) ? 'stored' : 'chosen'}
      />
    </>
  );
}

function choose(file: File | undefined, merge: ReturnType<typeof useDocument<Album>>['merge']): void {
  if (file !== undefined) merge({ _files: { picture: file } });
}

Object.assign(globalThis, { roundTrip });
createRoot(document.body.appendChild(document.createElement('main'))).render(
  <StrictMode>
    <AlbumPage />
  </StrictMode>,
);
