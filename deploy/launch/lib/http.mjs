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
    get: (path) => request('GET', path),
    post: (path, body) => request('POST', path, body),
    /** Reads `path` until `choose` finds something in the answer. */
    async until(path, choose, deadlineMs = 20_000) {
      const deadline = Date.now() + deadlineMs;
      for (;;) {
        const found = choose(await request('GET', path));
        if (found !== undefined) return found;
        if (Date.now() > deadline)
          throw new Failure(`${path} did not show what was waited for within ${deadlineMs / 1000} s.`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
  };
}
