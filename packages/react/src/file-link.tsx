import type { AnchorHTMLAttributes, ReactElement, ReactNode } from 'react';
import type { AnyFile } from './file-source.ts';
import { useFile } from './use-file.ts';

/** Of `FileLink`. */
export interface FileLinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href' | 'download'> {
  /** A File, or the entry of one in a document that was read. */
  readonly file: AnyFile | undefined;
  /** The name under which it is saved; it is also what the link says when it has no children. */
  readonly name: string;
  /** Shown while the content is on its way, and when there is none. */
  readonly placeholder?: ReactNode;
  /** Shown when the content cannot be had; default the placeholder. */
  readonly failed?: (error: Error) => ReactNode;
}

/** A link that saves a file of a document. It is never opened in place, so that a file of type HTML does not run here. */
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
