import type { FieldValues, Path, UseFormSetError } from 'react-hook-form';
import { ApiError } from '@/lib/api-error';

/**
 * Puts the fields that the server refused beside their inputs.
 *
 * @returns true when every complaint found its input, so that nothing is left for a note of its own.
 */
export function showIssues<T extends FieldValues>(
  thrown: unknown,
  fields: readonly Path<T>[],
  setError: UseFormSetError<T>,
): boolean {
  const { issues } = ApiError.from(thrown);
  let placed = 0;
  for (const issue of issues) {
    const field = fields.find((name) => name === issue.path);
    if (field === undefined) continue;
    setError(field, { type: 'server', message: issue.message }, { shouldFocus: placed === 0 });
    placed += 1;
  }
  return issues.length > 0 && placed === issues.length;
}

/** Drops empty inputs, because an absent field and an empty one mean different things to the API. */
export function filled<T extends Record<string, unknown>>(values: T): { [K in keyof T]?: Exclude<T[K], ''> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '' && value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], ''>;
  };
}
