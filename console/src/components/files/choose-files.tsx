import type { LucideIcon } from 'lucide-react';
import { useRef } from 'react';
import { Button } from '@/components/ui/button';

interface ChooseFilesProps {
  children: string;
  icon: LucideIcon;
  /** Takes several at once. */
  multiple?: boolean;
  tone?: 'plain' | 'primary';
  size?: 'sm' | 'md';
  /** When the words on the button are not enough to tell it from others. */
  label?: string;
  onChoose: (files: readonly File[]) => void;
}

/** A button that opens the browser's choice of files. */
export function ChooseFiles({ children, icon: Icon, multiple = false, tone, size, label, onChoose }: ChooseFilesProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button tone={tone} size={size} aria-label={label} onClick={() => input.current?.click()}>
        <Icon aria-hidden />
        {children}
      </Button>
      <input
        ref={input}
        type="file"
        multiple={multiple}
        hidden
        aria-label={label ?? children}
        onChange={(event) => {
          const files = [...(event.target.files ?? [])];
          // The same file can be chosen again later.
          event.target.value = '';
          if (files.length > 0) onChoose(files);
        }}
      />
    </>
  );
}
