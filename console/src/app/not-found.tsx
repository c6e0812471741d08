import Link from 'next/link';

export default function NotFound() {
  return (
    <div className="grid min-h-[60dvh] place-items-center text-center">
      <div>
        <p className="label-caps">404</p>
        <h1 className="mt-1 text-xl font-semibold tracking-tight">There is no page here</h1>
        <p className="mt-1 text-sm text-ink-2">The address is wrong, or what it named is gone.</p>
        <Link href="/" className="mt-4 inline-block font-medium text-accent-ink underline underline-offset-2">
          To the overview
        </Link>
      </div>
    </div>
  );
}
