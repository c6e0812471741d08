import type { Metadata } from 'next';

export { ProxiesPage as default } from '@/features/proxies';
export const metadata: Metadata = { title: 'Proxies' };
