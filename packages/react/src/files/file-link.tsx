import type { AnyFile } from 'fixpoint/live';
import type { AnchorHTMLAttributes, ReactElement, ReactNode } from 'react';
import { useFile } from './use-file.ts';

/** Props of `FileLink`. */
export interface FileLinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href' | 'download'> {
  /** A File, or the entry of a file in a document that was read from the database. */
  readonly file: AnyFile | undefined;
  /** File name of the download, and text of the link when it has no children. */
  readonly name: string;
  /** Shown while the content loads, and when there is no content. */
  readonly placeholder?: ReactNode;
  /** Shown when the content couldn't be loaded; default the placeholder. */
  readonly failed?: (error: Error) => ReactNode;
}

/**
 * Renders a link that downloads a file of a document. It never opens the file in place, so that an
 * HTML file can't run on this origin.
 */
export function FileLink({
  file,
  name,
  placeholder = null,
  failed,
  children = name,
  ...link
}: FileLinkProps): ReactElement {
  const { url, error } = useFile(file);
  if (error !== undefined && failed !== undefined) return <>{failed(error)}</>;
  if (url === undefined) return <>{placeholder}</>;
  return (
    <a {...link} href={url} download={name}>
      {children}
    </a>
  );
}
