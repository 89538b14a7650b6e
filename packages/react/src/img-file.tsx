import type { ImgHTMLAttributes, ReactElement, ReactNode } from 'react';
import type { AnyFile } from './file-source.ts';
import { useFile } from './use-file.ts';

/** Of `ImgFile`. */
export interface ImgFileProps extends Omit<ImgHTMLAttributes<HTMLImageElement>, 'src'> {
  /** A File, or the entry of one in a document that was read. */
  readonly file?: AnyFile | undefined;
  /** The same as `file`. */
  readonly meta?: AnyFile | undefined;
  /** Shown while the content is on its way, and when there is none. */
  readonly placeholder?: ReactNode;
  /** Shown when the content cannot be had; default the placeholder. */
  readonly failed?: (error: Error) => ReactNode;
}

/** An image that is a file of a document. Files of another type than an image show the placeholder. */
export function ImgFile({
  file,
  meta,
  placeholder = null,
  failed,
  alt = '',
  ...img
}: ImgFileProps): ReactElement {
  const given = file ?? meta;
  const { url, error } = useFile(given?.type.startsWith('image/') === true ? given : undefined);
  if (error !== undefined && failed !== undefined) return <>{failed(error)}</>;
  if (url === undefined) return <>{placeholder}</>;
  return <img {...img} alt={alt} src={url} />;
}
