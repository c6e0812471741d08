import type { Metadata } from 'next';

export { TokensPage as default } from '@/features/tokens';
export const metadata: Metadata = { title: 'API tokens' };
