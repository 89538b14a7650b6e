import { Avatar } from '../../../ui/avatar.tsx';
import { BlamePopover } from './blame-popover.tsx';
import { authorText, type FieldAuthor } from './field-authors.ts';

export interface FieldAuthorMarkProps {
  readonly author: FieldAuthor;
  readonly field: string;
  /** The value of the field as text. */
  readonly value: string;
  /** The history of the database, filtered to the document. */
  readonly historyPath: string | undefined;
}

/** A picture already says who it was. There is no room for both the name and the time. */
function shownText(author: FieldAuthor): string {
  if (author.isUnsaved === true) return authorText(author);
  return author.person === undefined ? author.name : (author.ago ?? author.name);
}

/** Shows the author of a field. A button with details, if the change is known. */
export function FieldAuthorMark({ author, field, value, historyPath }: FieldAuthorMarkProps) {
  const mark = (
    <>
      <Avatar name={author.person} isSmall />
      <span className="sr-only">Changed by {authorText(author)}</span>
      <span aria-hidden className="truncate max-sm:[[role=row]_&]:hidden">
        {shownText(author)}
      </span>
    </>
  );
  if (author.event === undefined || historyPath === undefined)
    return (
      <span
        className={`flex min-w-0 items-center gap-1.5 text-xs ${author.isUnsaved === true ? 'font-medium text-accent-ink' : 'text-history'}`}
        title={authorText(author)}
      >
        {mark}
      </span>
    );
  return <BlamePopover {...{ author, field, value, historyPath, mark }} />;
}
