import type { Metadata } from 'next';

export { AppsPage as default } from '@/features/apps';
export const metadata: Metadata = { title: 'Telegram apps' };
