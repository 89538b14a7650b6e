'use client';

import type { DocFileMeta } from 'fixpoint/fireproof';
import type { AnyFile } from 'fixpoint/live';
import type { ImgHTMLAttributes, ReactElement, ReactNode } from 'react';
import { useFile } from './use-file.ts';

/** Props of `ImgFile`. */
export interface ImgFileProps extends Omit<ImgHTMLAttributes<HTMLImageElement>, 'src'> {
  /** A File, or the entry of a file in a document that was read from the database. */
  readonly file?: AnyFile | undefined;
  /** Alias of `file`. */
  readonly meta?: AnyFile | undefined;
  /** Shown while the content loads, and when there is no content. */
  readonly placeholder?: ReactNode;
  /** Shown when the content couldn't be loaded; default the placeholder. */
  readonly failed?: (error: Error) => ReactNode;
}

/** Renders a file of a document as an image. Files that aren't images show the placeholder. */
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

/** Props of `ImgFile` of an application of `use-fireproof`. */
export interface FireproofImgFileProps extends Omit<ImgFileProps, 'file' | 'meta'> {
  /** A File, or the entry of a file in a document that was read from the database. */
  readonly file?: AnyFile | DocFileMeta | undefined;
  /** Alias of `file`. */
  readonly meta?: AnyFile | DocFileMeta | undefined;
}

/** `ImgFile`, which also accepts the type that `use-fireproof` gives to the entry of a file. */
export const FireproofImgFile = ImgFile as (props: FireproofImgFileProps) => ReactElement;
