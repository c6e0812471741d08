import type { Metadata } from 'next';

export { EventsPage as default } from '@/features/updates';
export const metadata: Metadata = { title: 'Events' };
