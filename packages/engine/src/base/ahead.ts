/** The same values; while one is worked on, the next is on its way. */
export async function* ahead<T>(source: AsyncIterable<T>): AsyncGenerator<T, void> {
  const steps = source[Symbol.asyncIterator]();
  const begin = () => {
    const step = steps.next();
    // Whoever takes it hears why it failed; nobody may be left to take it.
    step.catch(() => undefined);
    return step;
  };
  try {
    let next = begin();
    for (;;) {
      const step = await next;
      if (step.done === true) return;
      next = begin();
      yield step.value;
    }
  } finally {
    await steps.return?.();
  }
}
