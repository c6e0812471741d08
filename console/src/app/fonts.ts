import localFont from 'next/font/local';

/*
 * Inter in three files by script, so that a page downloads only what its text needs. The files come from
 * @fontsource-variable/inter and are served from our own origin; the ranges are the ones that package cuts at.
 */
export const inter = localFont({
  src: './fonts/inter-latin.woff2',
  variable: '--font-inter',
  weight: '100 900',
  display: 'swap',
  adjustFontFallback: false,
});

export const interMore = localFont({
  src: './fonts/inter-latin-ext.woff2',
  variable: '--font-inter-more',
  weight: '100 900',
  display: 'swap',
  preload: false,
  adjustFontFallback: false,
  declarations: [
    {
      prop: 'unicode-range',
      value:
        'U+0100-02BA, U+02BD-02C5, U+02C7-02CC, U+02CE-02D7, U+02DD-02FF, U+0304, U+0308, U+0329, U+1D00-1DBF, U+1E00-1E9F, U+1EF2-1EFF, U+2020, U+20A0-20AB, U+20AD-20C0, U+2113, U+2C60-2C7F, U+A720-A7FF',
    },
  ],
});

export const interCyrillic = localFont({
  src: './fonts/inter-cyrillic.woff2',
  variable: '--font-inter-cyrillic',
  weight: '100 900',
  display: 'swap',
  preload: false,
  adjustFontFallback: false,
  declarations: [{ prop: 'unicode-range', value: 'U+0301, U+0400-045F, U+0490-0491, U+04B0-04B1, U+2116' }],
});
