import { Failure } from './project.mjs';

/**
 * A client of an API that answers in the envelope.
 * @param {string} baseUrl
 * @param {Record<string, string>} [headers]
 */
export function jsonClient(baseUrl, headers = {}) {
  async function request(method, path, body) {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      signal: AbortSignal.timeout(90_000),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!answer.ok)
      throw new Failure(`${method} ${path}: ${response.status} ${answer.error?.message ?? JSON.stringify(answer)}`);
    return answer.result;
  }
  return {
    post: (path, body) => request('POST', path, body),
  };
}
