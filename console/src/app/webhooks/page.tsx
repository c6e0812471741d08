import type { Metadata } from 'next';

export { WebhooksPage as default } from '@/features/updates';
export const metadata: Metadata = { title: 'Webhooks' };
