import { isIP } from 'node:net';
import { lookup as lookupName, type LookupAddress, type LookupOptions } from 'node:dns';
import ipaddr from 'ipaddr.js';

/** What a webhook may not reach. */
export class TargetDeniedError extends Error {
  constructor(address: string) {
    super(`${address} is not a public address, nor within WEBHOOK_ALLOW_NETWORKS`);
    this.name = TargetDeniedError.name;
  }
}

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

function toNetwork(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

type Callback = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;

/**
 * Says which addresses webhooks may be posted to. It is asked about the very address that is dialled, so that a name which leads
 * elsewhere at the second question gains nothing.
 */
export class TargetAddresses {
  private readonly networks: readonly Network[];

  /** @param networks addresses and CIDRs that are allowed although not public */
  constructor(networks: readonly string[]) {
    this.networks = networks.map(toNetwork);
  }

  /** @throws TargetDeniedError */
  require(address: string): void {
    if (!this.allows(address)) throw new TargetDeniedError(address);
  }

  /** `dns.lookup` that finds only allowed addresses, for whoever dials. */
  readonly lookup = (host: string, options: LookupOptions, done: Callback): void => {
    lookupName(host, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        done(error, '');
        return;
      }
      const allowed = found.filter(({ address }) => this.allows(address));
      const [first] = allowed;
      if (first === undefined) {
        done(new TargetDeniedError(`${host} (${found.map(({ address }) => address).join(', ')})`), '');
      } else if (options.all === true) {
        done(null, allowed);
      } else {
        done(null, first.address, first.family);
      }
    });
  };

  private allows(text: string): boolean {
    // IPv4 in IPv6 becomes IPv4. What is not plain unicast (private, link-local, NAT64, 6to4, documentation, …) is not public.
    const address = ipaddr.process(text);
    if (this.networks.some((network) => address.kind() === network[0].kind() && address.match(network))) return true;
    return address.range() === 'unicast' && !isEmbedded(address);
  }
}

const COMPATIBLE: Network = ipaddr.parseCIDR('::/96');
const SITE_LOCAL: Network = ipaddr.parseCIDR('fec0::/10');
const LOCAL_NAT64: Network = ipaddr.parseCIDR('64:ff9b:1::/48');

/** Old ways to write an IPv4 or a local address in IPv6, which ipaddr.js calls unicast. */
function isEmbedded(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address.kind() === 'ipv6' && [COMPATIBLE, SITE_LOCAL, LOCAL_NAT64].some((network) => address.match(network));
}

/** The host of a URL as it is dialled: brackets of IPv6 taken off. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/**
 * Why a URL cannot be a webhook's, in words; undefined when it may be one. A name is judged when it is dialled: what it leads to
 * may change at any time.
 */
export function refusalOf(text: string, addresses: TargetAddresses): string | undefined {
  if (!URL.canParse(text)) return 'must be a URL such as https://example.com/hook';
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must be an http or https URL';
  if (url.username !== '' || url.password !== '') return 'must not have a user name or a password';
  const host = hostOf(url);
  if (isIP(host) === 0) return undefined;
  try {
    addresses.require(host);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
