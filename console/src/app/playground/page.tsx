import type { Metadata } from 'next';

export { PlaygroundPage as default } from '@/features/playground';
export const metadata: Metadata = { title: 'Playground' };
