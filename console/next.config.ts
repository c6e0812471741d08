import type { NextConfig } from 'next';
import { PHASE_DEVELOPMENT_SERVER } from 'next/constants.js';

/** Where `npm start` listens; `next dev` sends the API there. */
const GATEWAY = 'http://127.0.0.1:8080';

/**
 * The console ships as plain files that the gateway serves, so it needs no server of its own.
 *
 * Under `next dev` there is no gateway in front: the API is reached through rewrites, which a static export cannot have.
 */
const config = (phase: string): NextConfig => {
  const shared: NextConfig = {
    trailingSlash: true,
    images: { unoptimized: true },
    reactStrictMode: true,
    // `npm run check` and every editor look at the types; a build for whoever runs this need not.
    typescript: { ignoreBuildErrors: true },
  };
  if (phase !== PHASE_DEVELOPMENT_SERVER) return { ...shared, output: 'export' };
  return {
    ...shared,
    skipTrailingSlashRedirect: true,
    rewrites: () =>
      Promise.resolve([
        { source: '/v1/:path*', destination: `${GATEWAY}/v1/:path*` },
        { source: '/d/:path*', destination: `${GATEWAY}/d/:path*` },
        { source: '/readyz', destination: `${GATEWAY}/readyz` },
      ]),
  };
};

export default config;
