import { Dialog } from '@/components/ui/dialog';
import { Kbd } from '@/components/ui/kbd';
import { DESTINATIONS } from './navigation';

const ANYWHERE: readonly [keys: readonly string[], act: string][] = [
  [['Ctrl', 'K'], 'Find a session, a page or an action (⌘ K on a Mac)'],
  [['/'], 'Search on this page'],
  [['n', 'b'], 'Add a bot'],
  [['n', 'u'], 'Log in a user account'],
  [['Ctrl', 'Enter'], 'Send the call in the call box'],
  [['Esc'], 'Close a dialog'],
  [['?'], 'This help'],
];

/** All keys in one place. */
export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const going = DESTINATIONS.map(({ key, name }): [readonly string[], string] => [['g', key], `Go to ${name}`]);
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose} keepOnOutsideClick={false}>
      <dl className="divide-y divide-line">
        {[...ANYWHERE, ...going].map(([keys, act]) => (
          <div key={act} className="flex items-center justify-between gap-4 py-2">
            <dt className="text-sm">{act}</dt>
            <dd className="flex gap-1">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
