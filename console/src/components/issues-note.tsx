import { ErrorNote } from '@/components/ui/states';
import { ApiError } from '@/lib/api-error';

/** A refused form, with every field that the server named. */
export function IssuesNote({ error, lead }: { error: unknown; lead: string }) {
  const failure = error === null || error === undefined ? undefined : ApiError.from(error);
  return (
    <ErrorNote error={failure} lead={lead}>
      {failure && failure.issues.length > 0 && (
        <ul className="list-disc pl-4">
          {failure.issues.map((issue) => (
            <li key={issue.path}>
              {issue.path}: {issue.message}
            </li>
          ))}
        </ul>
      )}
    </ErrorNote>
  );
}
