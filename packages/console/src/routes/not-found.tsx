import { LinkButton } from '../ui/button.tsx';
import { NotFound } from '../ui/feedback.tsx';

export function Component() {
  return (
    <NotFound>
      <div className="mt-4">
        <LinkButton to="/fp/cloud">Cloud home</LinkButton>
      </div>
    </NotFound>
  );
}
