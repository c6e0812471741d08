import { collect, nameFrom } from './download';

const bytes = new TextEncoder().encode('0123456789');
/** An answer that ends with a broken connection after `upTo` bytes. */
function cut(from: number, upTo: number, headers: Record<string, string>, status: number): Response {
  let sent = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent) controller.error(new TypeError('network error'));
      else controller.enqueue(bytes.slice(from, upTo));
      sent = true;
    },
  });
  return new Response(body, { status, headers });
}

it('goes on by Range where it was cut off, only if the file is the same', async () => {
  const asked: Headers[] = [];
  const answers = [
    cut(0, 4, { ETag: '"a"', 'Content-Length': '10', 'Content-Disposition': 'attachment; filename="a.txt"' }, 200),
    new Response(bytes.slice(4), {
      status: 206,
      headers: { ETag: '"a"', 'Content-Disposition': "attachment; filename*=UTF-8''%D0%B0.txt" },
    }),
  ];
  globalThis.fetch = (request) => {
    asked.push((request as Request).headers);
    return Promise.resolve(answers.shift() ?? new Response(null, { status: 500 }));
  };
  const seen: number[] = [];
  const { blob, name } = await collect('/v1/x', new AbortController().signal, (received) => seen.push(received));
  expect(await blob.text()).toBe('0123456789');
  expect(name).toBe('а.txt');
  expect(seen).toEqual([4, 10]);
  expect(asked[1]?.get('range')).toBe('bytes=4-');
  expect(asked[1]?.get('if-match')).toBe('"a"');
});

it('fails when the number means another file meanwhile', async () => {
  const error = { source: 'gateway', code: 'file_changed', message: 'the file is another one' };
  const answers = [
    cut(0, 4, { ETag: '"a"', 'Content-Length': '10' }, 200),
    Response.json({ ok: false, error }, { status: 412 }),
  ];
  globalThis.fetch = () => Promise.resolve(answers.shift() ?? new Response(null, { status: 500 }));
  await expect(collect('/v1/x', new AbortController().signal, () => undefined)).rejects.toThrow('another one');
});

it('tells a refusal at once', async () => {
  let requests = 0;
  globalThis.fetch = () => {
    requests += 1;
    const error = { source: 'gateway', code: 'download_stalled', message: 'nothing came' };
    return Promise.resolve(Response.json({ ok: false, error }, { status: 504 }));
  };
  await expect(collect('/v1/x', new AbortController().signal, () => undefined)).rejects.toThrow('nothing came');
  expect(requests).toBe(1);
});

it.each([
  [`attachment; filename="a \\"b\\".txt"`, 'a "b".txt'],
  [`attachment; filename="x"; filename*=UTF-8''%E2%82%AC.txt`, '€.txt'],
  [null, undefined],
])('reads the name out of %s', (disposition, name) => {
  expect(nameFrom(disposition)).toBe(name);
});
