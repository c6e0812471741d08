import type { Metadata } from 'next';

export { PoolPage as default } from '@/features/pools';
export const metadata: Metadata = { title: 'Bot pool' };
