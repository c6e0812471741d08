/** A td_api object or method call as TDLib's JSON interface takes it. */
export interface TdObject {
  readonly '@type': string;
  readonly [member: string]: unknown;
}

/** Reads what TDLib wrote. */
export function parseTdObject(json: string): TdObject {
  return JSON.parse(json) as TdObject;
}

/** A member that TDLib's schema declares to be an object; undefined when it is absent or null. */
export function objectMember(object: TdObject, member: string): TdObject | undefined {
  const value = object[member];
  return typeof value === 'object' && value !== null && '@type' in value ? (value as TdObject) : undefined;
}

/** A member that the schema declares to be a string; empty when it is absent. */
export function stringMember(object: TdObject, member: string): string {
  const value = object[member];
  return typeof value === 'string' ? value : '';
}

/** A member that the schema declares to be a number; 0 when it is absent, which is how TDLib itself reads it. */
export function numberMember(object: TdObject, member: string): number {
  const value = object[member];
  return typeof value === 'number' ? value : 0;
}
