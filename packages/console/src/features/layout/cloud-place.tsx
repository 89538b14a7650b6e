import { LIMITS } from '@fixpoint/protocol';
import { useParams } from 'react-router';
import { tenantLabel } from '../../cloud/tenant-label.ts';
import { useTenants } from '../../cloud/use-cloud.ts';
import { truncate } from '../../values/truncate.ts';

/** Shows the page's tenant in the header. */
export function CloudPlace() {
  const { tenantId } = useParams();
  const tenant = useTenants().data?.find((one) => one.tenantId === tenantId);
  if (tenant === undefined) return null;
  const name = tenantLabel(tenant);
  return (
    <span className="ml-0.5 flex min-w-0 items-center gap-1 text-sm text-muted sm:ml-0 sm:gap-2">
      <span aria-hidden className="text-line-strong">
        /
      </span>
      <span title={name} className="truncate">
        {truncate(name, LIMITS.headerNameCharsMax)}
      </span>
    </span>
  );
}
