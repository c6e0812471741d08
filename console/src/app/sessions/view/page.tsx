import type { Metadata } from 'next';

export { SessionPage as default } from '@/features/session';
export const metadata: Metadata = { title: 'Session' };
