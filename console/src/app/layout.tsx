import type { Metadata, Viewport } from 'next';
import type { ReactNode } from 'react';
import { NewAppDialog } from '@/features/apps';
import { CreateSessionDialogs } from '@/features/create';
import { LoginDialog } from '@/features/login';
import { NewPoolDialog } from '@/features/pools';
import { NewProxyDialog } from '@/features/proxies';
import { ConsoleRoot } from '@/features/shell';
import { SignInPage } from '@/features/sign-in';
import { KeySecretDialog, NewTokenDialog } from '@/features/tokens';
import { SubscriptionSecretDialog } from '@/features/updates';
import { inter, interCyrillic, interMore } from './fonts';
import './globals.css';

export const metadata: Metadata = {
  title: { default: 'tgcontrol', template: '%s · tgcontrol' },
  description: 'Telegram accounts and bots behind one HTTP API',
  robots: { index: false, follow: false },
  referrer: 'no-referrer',
};

export const viewport: Viewport = {
  width: 'device-width',
  initialScale: 1,
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#f5f7f7' },
    { media: '(prefers-color-scheme: dark)', color: '#0c1113' },
  ],
};

export default function RootLayout({ children }: { children: ReactNode }) {
  return (
    // theme.js sets data-theme before React sees the page.
    <html
      lang="en"
      suppressHydrationWarning
      className={`${inter.variable} ${interMore.variable} ${interCyrillic.variable}`}
    >
      <head>
        <script src="/theme.js" />
      </head>
      <body>
        <ConsoleRoot
          signIn={<SignInPage />}
          overlays={
            <>
              <CreateSessionDialogs />
              <NewAppDialog />
              <NewProxyDialog />
              <NewTokenDialog />
              <KeySecretDialog />
              <NewPoolDialog />
              <LoginDialog />
              <SubscriptionSecretDialog />
            </>
          }
        >
          {children}
        </ConsoleRoot>
      </body>
    </html>
  );
}
