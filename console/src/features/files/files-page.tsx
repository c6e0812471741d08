'use client';

import { Upload } from 'lucide-react';
import { ChooseFiles } from '@/components/files/choose-files';
import { Page } from '@/components/ui/page';
import { uploadQueue } from '@/lib/uploads';
import { DiskCard } from './disk-card';
import { ServerUploads } from './server-uploads';
import { UploadsCard } from './uploads-card';

/** Files on their way to Telegram, and what files take on the disks. */
export function FilesPage() {
  return (
    <Page
      title="Files"
      description="A file is uploaded here first, and then sent by a call that names it."
      actions={
        <ChooseFiles icon={Upload} tone="primary" multiple onChoose={(files) => uploadQueue.add(files)}>
          Upload files
        </ChooseFiles>
      }
    >
      <UploadsCard />
      <ServerUploads />
      <DiskCard />
    </Page>
  );
}
