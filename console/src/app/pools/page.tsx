import type { Metadata } from 'next';

export { PoolsPage as default } from '@/features/pools';
export const metadata: Metadata = { title: 'Bot pools' };
