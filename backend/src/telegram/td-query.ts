import { isAbsolute, normalize, sep } from 'node:path';
import {
  MAX_ISSUES,
  MethodReservedError,
  PathDeniedError,
  ValidationFailedError,
  type ValidationIssue,
} from '../common/errors/index.js';
import { type AccountKind, hazardOf } from './hazards.js';
import { isReservedMethod } from './reserved-methods.js';

/** A method call after inspection. */
export interface InspectedQuery {
  readonly method: string;
  /** The parameters that were inspected; what goes to TDLib is made from this object and nothing else. */
  readonly params: Record<string, unknown>;
  /** Paths of uploads that the parameters send. */
  readonly localPaths: readonly string[];
}

/** td_api names start with a letter and hold letters and digits. TDLib would also take a constructor's number. */
const METHOD_NAME = /^[A-Za-z][A-Za-z0-9]*$/;

/** TDLib's JSON reader itself gives up at a depth of 100 (tdutils/td/utils/JsonBuilder.h). */
const MAX_DEPTH = 90;

/** Members that belong to the call, not to the method: ours are written before any of these, but they would travel along. */
const ENVELOPE_MEMBERS = ['@type', '@extra', '@client_id'] as const;

/** Parameters in which a method takes a path of this machine: TDLib opens the one as a database, and tells what is in the other. */
const SERVER_PATHS: Readonly<Record<string, string>> = {
  getLanguagePackString: 'language_pack_database_path',
  getSuggestedFileName: 'directory',
};

/** The option that names the file of language packs. */
const PATH_OPTION = 'language_pack_database_path';

/** @throws PathDeniedError */
function requireNoServerPath(method: string, params: Readonly<Record<string, unknown>>): void {
  const name = Object.hasOwn(SERVER_PATHS, method) ? SERVER_PATHS[method] : undefined;
  const path = name === undefined ? undefined : params[name];
  if (path !== undefined && path !== null && path !== '') {
    throw new PathDeniedError(`${name ?? ''} names a file of the server: leave it empty`);
  }
  if (method === 'setOption' && params['name'] === PATH_OPTION) {
    throw new PathDeniedError(`the option ${PATH_OPTION} names a file of the server`);
  }
}

/**
 * Inspects a call of the API before it becomes a td_api query.
 * @param uploadsDir the only directory that inputFileLocal may name files in
 * @param kind whose session it is for; undefined for a query without one
 * @throws ValidationFailedError naming the path of each unusable value
 * @throws MethodReservedError for a method that the gateway keeps for itself
 * @throws PathDeniedError for a file of this machine outside the uploads
 */
export function inspectQuery(method: unknown, params: unknown, uploadsDir: string, kind?: AccountKind): InspectedQuery {
  if (typeof method !== 'string' || method === '') {
    const isMissing = method === undefined || method === null || method === '';
    throw new ValidationFailedError([
      { path: 'method', message: `method ${isMissing ? 'is required' : 'must be a string'}` },
    ]);
  }
  if (!METHOD_NAME.test(method)) {
    throw new ValidationFailedError([{ path: 'method', message: 'method must be the name of a td_api method' }]);
  }
  if (isReservedMethod(method)) {
    throw new MethodReservedError(method);
  }
  const given = params ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) {
    throw new ValidationFailedError([{ path: 'params', message: 'params must be an object' }]);
  }
  const object = given as Record<string, unknown>;
  if (object['@type'] !== undefined && object['@type'] !== method) {
    throw new ValidationFailedError([{ path: 'params.@type', message: 'the method is named by `method` alone' }]);
  }
  for (const member of ENVELOPE_MEMBERS) {
    // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- three fixed names, and the object is ours alone
    delete object[member];
  }
  const inspection = new Inspection(uploadsDir);
  inspection.object(object, 'params', 0);
  if (inspection.issues.length > 0) {
    throw new ValidationFailedError(inspection.issues);
  }
  requireNoServerPath(method, object);
  const hazard = hazardOf(method, object, kind);
  if (hazard !== undefined) {
    throw new ValidationFailedError([hazard]);
  }
  return { method, params: object, localPaths: inspection.localPaths };
}

/** The query's text. JSON.parse kept the last of duplicate members, so this text has none for TDLib to read differently. */
export function serializeQuery({ method, params }: Pick<InspectedQuery, 'method' | 'params'>): string {
  const members = JSON.stringify(params);
  return members === '{}' ? `{"@type":"${method}"}` : `{"@type":"${method}",${members.slice(1)}`;
}

class Inspection {
  readonly issues: ValidationIssue[] = [];
  readonly localPaths: string[] = [];

  constructor(private readonly uploadsDir: string) {}

  /** There is one issue more than an answer names, which is all it needs to know. The call is refused in any case. */
  private get isFull(): boolean {
    return this.issues.length > MAX_ISSUES;
  }

  object(object: Record<string, unknown>, path: string, depth: number): void {
    const type = object['@type'];
    if (type !== undefined) {
      this.type(type, object, path);
    }
    for (const member of Object.keys(object)) {
      if (this.isFull) return;
      const value = object[member];
      // Most members are strings; the path is put together only for what may need it.
      if (typeof value === 'number' || (typeof value === 'object' && value !== null)) {
        this.value(value, `${path}.${member}`, depth + 1);
      }
    }
  }

  private value(value: number | object, path: string, depth: number): void {
    if (typeof value === 'number') {
      if (!Number.isSafeInteger(value) && (Number.isInteger(value) || !Number.isFinite(value))) {
        // JSON.parse has rounded it already, to infinity even. td_api's int64 are strings, int53 never get this large.
        this.issues.push({ path, message: 'an integer beyond 2^53 must be sent as a string' });
      }
      return;
    }
    if (depth > MAX_DEPTH) {
      this.issues.push({ path, message: `nested deeper than ${MAX_DEPTH} levels` });
      return;
    }
    if (!Array.isArray(value)) {
      this.object(value as Record<string, unknown>, path, depth);
      return;
    }
    for (const [index, item] of (value as readonly unknown[]).entries()) {
      if (this.isFull) return;
      if (typeof item === 'number' || (typeof item === 'object' && item !== null)) {
        this.value(item, `${path}[${index}]`, depth + 1);
      }
    }
  }

  private type(type: unknown, object: Record<string, unknown>, path: string): void {
    if (typeof type !== 'string' || !METHOD_NAME.test(type)) {
      // TDLib also takes a constructor's number, which would pass by the checks below.
      this.issues.push({ path: `${path}.@type`, message: '@type must be the name of a td_api type' });
      return;
    }
    if (type === 'inputFileGenerated') {
      throw new PathDeniedError('inputFileGenerated is not available');
    }
    if (type === 'inputFileLocal') {
      this.localPath(object['path']);
    }
  }

  private localPath(path: unknown): void {
    if (typeof path !== 'string' || path.includes('\0') || !isAbsolute(path)) {
      throw new PathDeniedError('inputFileLocal must name an uploaded file');
    }
    const normal = normalize(path);
    const root = this.uploadsDir.endsWith(sep) ? this.uploadsDir : `${this.uploadsDir}${sep}`;
    if (!normal.startsWith(root) || normal === root) {
      throw new PathDeniedError('inputFileLocal is outside the uploads');
    }
    this.localPaths.push(normal);
  }
}
