import type { ReactNode } from 'react';

const QUOTES = [
  {
    text: 'I typed one command and had sync between two laptops before my coffee was cold.',
    by: 'A developer of field-survey apps',
  },
  {
    text: 'Our app works on the train now. The cloud catches up when the train does.',
    by: 'A team that builds for rail staff',
  },
];

/** The form of a sign-in page, beside what others say. */
export function SignInFrame({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="grid min-h-full lg:grid-cols-2">
      <div className="mx-auto flex w-full max-w-md flex-col justify-center gap-6 p-6 sm:p-10">
        <div className="flex items-center gap-2 text-lg font-semibold tracking-tight">
          <img src="/favicon.svg" alt="" className="size-7" />
          Fixpoint
        </div>
        <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
        {children}
      </div>
      <div className="flex flex-col justify-center gap-10 border-t border-line bg-raised p-8 lg:border-t-0 lg:border-l lg:p-16">
        {QUOTES.map(({ text, by }) => (
          <figure key={by} className="max-w-md">
            <blockquote className="text-lg leading-7">“{text}”</blockquote>
            <figcaption className="mt-2 text-sm text-muted">{by}</figcaption>
          </figure>
        ))}
      </div>
    </main>
  );
}
