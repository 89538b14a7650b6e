import Link from 'next/link';
import { Bookmarks } from './bookmarks';

/** Rendered on the server for each request. The documents are only in the browser. */
export default async function Page({ searchParams }: { searchParams: Promise<{ show?: string }> }) {
  const isAll = (await searchParams).show === 'all';
  return (
    <main>
      <h1>Bookmarks</h1>
      <nav>
        <Link href="/" aria-current={isAll ? undefined : 'page'}>
          To read
        </Link>
        <Link href="/?show=all" aria-current={isAll ? 'page' : undefined}>
          All
        </Link>
      </nav>
      <Bookmarks isAll={isAll} />
    </main>
  );
}
