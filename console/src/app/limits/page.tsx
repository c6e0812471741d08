import type { Metadata } from 'next';

export { LimitsPage as default } from '@/features/limits';
export const metadata: Metadata = { title: 'Limits' };
