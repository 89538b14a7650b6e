/** Yields the same values, and requests the next one while the caller works on the current one. */
export async function* prefetch<T>(source: AsyncIterable<T>): AsyncGenerator<T, void> {
  const steps = source[Symbol.asyncIterator]();
  const begin = () => {
    const step = steps.next();
    // The caller gets the failure when it takes this step, unless it stops before.
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
