import type { Metadata } from 'next';

export { WorkersPage as default } from '@/features/workers';
export const metadata: Metadata = { title: 'Workers' };
