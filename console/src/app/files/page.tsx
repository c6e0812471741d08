import type { Metadata } from 'next';

export { FilesPage as default } from '@/features/files';
export const metadata: Metadata = { title: 'Files' };
