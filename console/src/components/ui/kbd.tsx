/** A key, as it is printed on keyboards. */
export function Kbd({ children }: { children: string }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded border border-line bg-sunken px-1 font-sans text-2xs font-medium text-ink-2">
      {children}
    </kbd>
  );
}
