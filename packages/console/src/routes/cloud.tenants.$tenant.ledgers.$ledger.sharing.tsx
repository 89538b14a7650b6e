import { Card } from '../ui/feedback.tsx';

/** .../ledgers/{ledgerId}/sharing */
export function Component() {
  return (
    <Card title="Sharing">
      <p className="mb-2">Control who has access to your database.</p>
      <p className="text-muted">
        Today everybody in the tenant reads and writes its databases; people are invited under the tenant's
        Members.
      </p>
    </Card>
  );
}
