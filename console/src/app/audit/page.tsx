import type { Metadata } from 'next';

export { AuditPage as default } from '@/features/audit';
export const metadata: Metadata = { title: 'Audit' };
