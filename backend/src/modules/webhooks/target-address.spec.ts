import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DeliveryClient } from './delivery-client.js';
import { refusalOf, TargetAddresses } from './target-address.js';

const PUBLIC_ONLY = new TargetAddresses([]);
const refusal = (url: string): string | undefined => refusalOf(url, PUBLIC_ONLY);

describe('the URL of a webhook', () => {
  it.each([
    ['a decimal number', 'http://2130706433/'],
    ['octal digits', 'http://0177.0.0.1/'],
    ['hexadecimal digits', 'http://0x7f000001/'],
    ['a short form', 'http://127.1/'],
    ['IPv4 in IPv6', 'http://[::ffff:127.0.0.1]/'],
    ['an old form of IPv4 in IPv6', 'http://[::127.0.0.1]/'],
    ['NAT64', 'http://[64:ff9b::7f00:1]/'],
    ['local NAT64', 'http://[64:ff9b:1::a00:1]/'],
    ['6to4', 'http://[2002:7f00:1::]/'],
    ['the unspecified address', 'http://0.0.0.0/'],
    ['the unspecified address of IPv6', 'http://[::]/'],
    ['loopback of IPv6', 'http://[::1]/'],
    ['a private network', 'https://10.1.2.3/'],
    ['another private network', 'https://172.31.0.1/'],
    ['a third private network', 'https://192.168.1.1/'],
    ['what carriers use', 'http://100.64.0.1/'],
    ['link-local, where clouds have their metadata', 'http://169.254.169.254/latest/meta-data/'],
    ['link-local of IPv6', 'http://[fe80::1]/'],
    ['a unique local address', 'http://[fd00::1]/'],
    ['a site-local address', 'http://[fec0::1]/'],
    ['multicast', 'http://224.0.0.1/'],
    ['broadcast', 'http://255.255.255.255/'],
    ['full-width digits', 'http://１２７.0.0.1/'],
  ])('does not lead to where nobody outside may go by %s', (_how, url) => {
    expect(refusal(url)).toMatch(/is not a public address/);
  });

  it.each([
    ['ftp://example.com/', /http or https/],
    ['file:///etc/passwd', /http or https/],
    ['http://user:pass@example.com/', /user name or a password/],
    ['http://user@example.com/', /user name or a password/],
    ['example.com', /must be a URL/],
  ])('%s is refused', (url, words) => {
    expect(refusal(url)).toMatch(words);
  });

  it.each(['https://example.com/hook?a=b', 'http://93.184.216.34:8080/', 'http://[2606:4700::1111]/'])(
    '%s is good',
    (url) => {
      expect(refusal(url)).toBeUndefined();
    },
  );

  it('leads into networks that are allowed, and only there', () => {
    const addresses = new TargetAddresses(['10.0.0.0/8', 'fd00::/8', '192.168.1.7']);
    const reached = ['10.9.8.7', '[::ffff:10.9.8.7]', '[fd00::1]', '192.168.1.7'];
    for (const host of reached) expect(refusalOf(`http://${host}/`, addresses)).toBeUndefined();
    for (const host of ['192.168.1.8', '127.0.0.1', '[fe80::1]']) {
      expect(refusalOf(`http://${host}/`, addresses)).toBeDefined();
    }
  });
});

describe('a delivery', () => {
  let server: Server;
  let requests = 0;
  let port: number;

  beforeAll(async () => {
    server = createServer((_request, response) => {
      requests += 1;
      response.writeHead(302, { location: `http://127.0.0.1:${port}/elsewhere` }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });

  beforeEach(() => (requests = 0));

  afterAll(() => new Promise((resolve) => server.close(resolve)));

  it('does not go to a name that leads to a private address when it is dialled', async () => {
    const client = new DeliveryClient(PUBLIC_ONLY);
    const outcome = await client.post(`http://localhost:${port}/`, {}, '{}');
    expect(outcome).toMatchObject({
      isDelivered: false,
      error: expect.stringMatching(/not a public address/) as string,
    });
    const literal = await client.post(`http://127.0.0.1:${port}/`, {}, '{}');
    expect(literal.error).toMatch(/not a public address/);
    expect(requests).toBe(0);
    await client.close();
  });

  it('does not follow a redirect', async () => {
    const client = new DeliveryClient(new TargetAddresses(['127.0.0.0/8', '::1']));
    const outcome = await client.post(`http://localhost:${port}/`, {}, '{}');
    expect(outcome).toMatchObject({ isDelivered: false, status: 302 });
    expect(requests).toBe(1);
    await client.close();
  });

  it('ends with its deadline, also while nobody answers the connection', async () => {
    const client = new DeliveryClient(new TargetAddresses(['127.0.0.0/8']), { connectMs: 5_000, totalMs: 50 });
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    expect(await client.post(url, {}, '{}')).toMatchObject({ isDelivered: false, error: 'no answer within 0.05 s' });
    await client.close();
    silent.closeAllConnections();
    await new Promise((resolve) => silent.close(resolve));
  });

  it('takes a 2xx for a success, whatever comes after it or does not', async () => {
    const client = new DeliveryClient(new TargetAddresses(['127.0.0.0/8']), { connectMs: 5_000, totalMs: 300 });
    const lingering = createServer((_request, response) => void response.writeHead(200).write('taken'));
    await new Promise<void>((resolve) => lingering.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(lingering.address() as AddressInfo).port}/`;
    expect(await client.post(url, {}, '{}')).toMatchObject({ isDelivered: true, status: 200, answer: 'taken' });
    await client.close();
    lingering.closeAllConnections();
    await new Promise((resolve) => lingering.close(resolve));
  });

  it('says what was wrong with a connection', async () => {
    const client = new DeliveryClient(new TargetAddresses(['127.0.0.0/8']));
    expect((await client.post(`https://127.0.0.1:${port}/`, {}, '{}')).error).toMatch(/^TLS: [\w ]+$/);
    expect((await client.post('http://127.0.0.1:1/', {}, '{}')).error).toMatch(/ECONNREFUSED/);
    await client.close();
  });
});
