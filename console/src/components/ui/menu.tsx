import { DropdownMenu } from 'radix-ui';
import { Ellipsis, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { cn } from '@/lib/cn';

interface MenuProps {
  /** Names what the actions are for: "Actions for support-bot". */
  label: string;
  children: ReactNode;
}

/** The three-dot menu of a row. */
export function RowMenu({ label, children }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        aria-label={label}
        className="relative z-10 grid size-8 place-items-center rounded-md text-ink-3 hover:bg-sunken hover:text-ink data-[state=open]:bg-sunken data-[state=open]:text-ink"
      >
        <Ellipsis aria-hidden className="size-4" />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          className="z-50 min-w-44 animate-rise rounded-lg border border-line bg-surface p-1 shadow-float"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

interface MenuItemProps {
  icon: LucideIcon;
  children: string;
  onSelect: () => void;
  danger?: boolean;
}

/** One act of a {@link RowMenu}. */
export function MenuItem({ icon: Icon, children, onSelect, danger = false }: MenuItemProps) {
  return (
    <DropdownMenu.Item
      onSelect={onSelect}
      className={cn(
        'flex h-8 cursor-pointer items-center gap-2.5 rounded-md px-2.5 text-sm outline-none data-highlighted:bg-sunken',
        danger ? 'text-bad' : 'text-ink',
      )}
    >
      <Icon aria-hidden className="size-4" />
      {children}
    </DropdownMenu.Item>
  );
}
