import { LinkButton } from '../ui/button.tsx';
import { NotFound } from '../ui/pages/feedback.tsx';

/** Shown for an unknown path inside an area. */
export function Component() {
  return (
    <>
      <title>Not found · Fixpoint</title>
      <NotFound text="This page doesn’t exist.">
        <LinkButton to="/fp/cloud">Cloud home</LinkButton>
        <LinkButton to="/fp/databases">Local databases</LinkButton>
      </NotFound>
    </>
  );
}
