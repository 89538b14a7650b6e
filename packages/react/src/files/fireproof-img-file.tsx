'use client';

import type { DocFileMeta } from 'fixpoint/fireproof';
import type { AnyFile } from 'fixpoint/live';
import type { ReactElement } from 'react';
import { ImgFile, type ImgFileProps } from './img-file.tsx';

/** Props of `ImgFile` of an application of `use-fireproof`. */
export interface FireproofImgFileProps extends Omit<ImgFileProps, 'file' | 'meta'> {
  /** A File, or the entry of a file in a document that was read from the database. */
  readonly file?: AnyFile | DocFileMeta | undefined;
  /** Alias of `file`. */
  readonly meta?: AnyFile | DocFileMeta | undefined;
}

/** `ImgFile`, which also accepts the type that `use-fireproof` gives to the entry of a file. */
export const FireproofImgFile = ImgFile as (props: FireproofImgFileProps) => ReactElement;
