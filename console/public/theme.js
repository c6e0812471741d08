/* global document, localStorage, matchMedia, window */
// Loaded before the first paint, and as a file, so that the page needs no inline script and a strict policy holds.
(function () {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  function apply() {
    let choice = null;
    try {
      choice = localStorage.getItem('tgcontrol.theme');
    } catch {
      // Storage is switched off: follow the system.
    }
    const theme = choice === 'dark' || choice === 'light' ? choice : dark.matches ? 'dark' : 'light';
    document.documentElement.dataset.theme = theme;
  }
  apply();
  dark.addEventListener('change', apply);
  window.addEventListener('storage', apply);
  window.addEventListener('tgcontrol:theme', apply);
})();
