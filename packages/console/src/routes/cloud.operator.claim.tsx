/** /fp/cloud/operator/claim: the one-time link for the first operator leads here. */
import { StandalonePage } from '../features/layout/standalone-page.tsx';
import { Claim } from '../features/operator/claim.tsx';

export function Component() {
  return (
    <StandalonePage>
      <title>Operate this server · Fixpoint</title>
      <h1 className="text-2xl font-semibold tracking-tight">Operate this server</h1>
      <Claim />
    </StandalonePage>
  );
}
