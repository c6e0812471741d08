import { Monitor, Moon, Sun } from 'lucide-react';
import { ToggleGroup } from 'radix-ui';
import { useTheme, type ThemeChoice } from '@/lib/theme';

const CHOICES = [
  { value: 'light', name: 'Light theme', icon: Sun },
  { value: 'dark', name: 'Dark theme', icon: Moon },
  { value: 'system', name: 'Theme of the system', icon: Monitor },
] as const satisfies readonly { value: ThemeChoice; name: string; icon: unknown }[];

/** Light, dark, or as the system says. */
export function ThemeSwitch() {
  const { choice, choose } = useTheme();
  return (
    <ToggleGroup.Root
      type="single"
      aria-label="Theme"
      value={choice}
      onValueChange={(value) => {
        const chosen = CHOICES.find((candidate) => candidate.value === value);
        if (chosen) choose(chosen.value);
      }}
      className="inline-flex rounded-lg border border-line bg-sunken p-0.5"
    >
      {CHOICES.map(({ value, name, icon: Icon }) => (
        <ToggleGroup.Item
          key={value}
          value={value}
          aria-label={name}
          title={name}
          className="grid size-7 place-items-center rounded-md text-ink-3 hover:text-ink data-[state=on]:bg-surface data-[state=on]:text-ink data-[state=on]:shadow-lift"
        >
          <Icon aria-hidden className="size-3.5" />
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
