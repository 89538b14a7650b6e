/** /fp/cloud/operator/claim: the one-time link for the first operator leads here. */
import { StandalonePage } from '../features/layout/standalone-page.tsx';
import { Claim } from '../features/operator/claim.tsx';

export function Component() {
  return (
    <StandalonePage title="Operate this server">
      <title>Operate this server · Fixpoint</title>
      <Claim />
    </StandalonePage>
  );
}
