import type { Result } from '@fixpoint/protocol';

/** Returns the value of an answer. @throws FixpointError the error of a rejected request */
export async function granted<T>(asked: Promise<Result<T>>): Promise<T> {
  const answer = await asked;
  if (!answer.ok) throw answer.error;
  return answer.value;
}
