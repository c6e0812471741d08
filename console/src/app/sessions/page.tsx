import type { Metadata } from 'next';

export { SessionsPage as default } from '@/features/sessions';
export const metadata: Metadata = { title: 'Sessions' };
